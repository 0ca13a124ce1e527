"""Compiles pages into a cache of context, in Bazel's sandbox and without the network.

    load("//tools/context:context.bzl", "context_cache")

    context_cache(
        name = "docs_cache",
        srcs = glob(["docs/**/*.md"]),
        strip_prefix = "docs",
    )

The cache is a directory, and byte for byte the one of `context build --sources docs`.
"""

def _id_path(file, prefix):
    """Returns the path that a page has in the cache."""
    if prefix and not file.short_path.startswith(prefix):
        fail("%s is not below strip_prefix, %s" % (file.short_path, prefix))
    return file.short_path[len(prefix):]

def _flags(ctx):
    flags = ["--force"]  # Bazel makes the directory, empty
    if ctx.attr.description:
        flags += ["--description", ctx.attr.description]
    if ctx.attr.base_url:
        flags += ["--base-url", ctx.attr.base_url]
    return flags

def _run(ctx, arguments, inputs, cache, message, requirements):
    ctx.actions.run(
        executable = ctx.executable._compiler,
        arguments = arguments + ["--cache", cache.path] + _flags(ctx),
        inputs = inputs,
        outputs = [cache],
        execution_requirements = dict(requirements, **{"block-network": "1"}),
        mnemonic = "ContextCache",
        progress_message = message,
    )

def _build(ctx, pages, prefix, cache):
    """Compiles pages into a cache."""

    # In the sandbox each page is a symlink that leads out. A walk leaves those out, so a list
    # names them.
    sources = ctx.actions.declare_file(cache.basename + ".sources", sibling = cache)
    ctx.actions.write(sources, "".join([
        "%s\t%s\n" % (_id_path(file, prefix), file.path)
        for file in pages
    ]))
    message = "Compiling %d pages into %s" % (len(pages), cache.short_path)
    _run(ctx, ["build", "--sources-list", sources.path], pages + [sources], cache, message, {})

def _context_cache(ctx):
    prefix = "/".join([part for part in [ctx.label.package, ctx.attr.strip_prefix] if part])
    if prefix:
        prefix += "/"
    cache = ctx.actions.declare_directory(ctx.label.name)

    # Each shard only depends on its own pages, so a change of a page builds a single shard.
    shards = {}
    for file in ctx.files.srcs:
        shards.setdefault(hash(_id_path(file, prefix)) % ctx.attr.shards, []).append(file)
    if len(shards) < 2:
        _build(ctx, ctx.files.srcs, prefix, cache)
    else:
        parts = []
        for shard in sorted(shards):
            part = ctx.actions.declare_directory("%s.shards/%d" % (ctx.label.name, shard))
            _build(ctx, shards[shard], prefix, part)
            parts.append(part)

        # The sandbox shows all files of the shards as symlinks, which no cache contains.
        message = "Merging %d shards into %s" % (len(parts), cache.short_path)
        _run(ctx, ["merge"] + [part.path for part in parts], parts, cache, message, {"no-sandbox": "1"})
    return [DefaultInfo(files = depset([cache]), runfiles = ctx.runfiles([cache]))]

context_cache = rule(
    implementation = _context_cache,
    doc = "Compiles pages into a cache.",
    attrs = {
        "srcs": attr.label_list(allow_files = True, mandatory = True, doc = "The pages."),
        "strip_prefix": attr.string(doc = "The directory of this package that has the pages. Their paths in the cache begin below it."),
        "description": attr.string(doc = "What the cache is about, in one line."),
        "base_url": attr.string(doc = "Where the pages are published."),
        "shards": attr.int(default = 1, doc = "How many actions compile the pages."),
        "_compiler": attr.label(default = ":context", executable = True, cfg = "exec", allow_single_file = True),
    },
)
