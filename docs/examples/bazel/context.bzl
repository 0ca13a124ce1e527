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

def _context_cache(ctx):
    prefix = "/".join([part for part in [ctx.label.package, ctx.attr.strip_prefix] if part])
    if prefix:
        prefix += "/"

    # In the sandbox each page is a symlink that leads out. A walk leaves those out, so a list
    # names them.
    sources = ctx.actions.declare_file(ctx.label.name + ".sources")
    ctx.actions.write(sources, "".join([
        "%s\t%s\n" % (_id_path(file, prefix), file.path)
        for file in ctx.files.srcs
    ]))

    cache = ctx.actions.declare_directory(ctx.label.name)
    arguments = ctx.actions.args()
    arguments.add("build")
    arguments.add("--sources-list", sources)
    arguments.add("--cache", cache.path)
    arguments.add("--force")  # Bazel makes the directory, empty
    if ctx.attr.description:
        arguments.add("--description", ctx.attr.description)
    if ctx.attr.base_url:
        arguments.add("--base-url", ctx.attr.base_url)
    ctx.actions.run(
        executable = ctx.executable._compiler,
        arguments = [arguments],
        inputs = ctx.files.srcs + [sources],
        outputs = [cache],
        execution_requirements = {"block-network": "1"},
        mnemonic = "ContextCache",
        progress_message = "Compiling %d pages into %s" % (len(ctx.files.srcs), ctx.label),
    )
    return [DefaultInfo(files = depset([cache]), runfiles = ctx.runfiles([cache]))]

context_cache = rule(
    implementation = _context_cache,
    doc = "Compiles pages into a cache.",
    attrs = {
        "srcs": attr.label_list(allow_files = True, mandatory = True, doc = "The pages."),
        "strip_prefix": attr.string(doc = "The directory of this package that has the pages. Their paths in the cache begin below it."),
        "description": attr.string(doc = "What the cache is about, in one line."),
        "base_url": attr.string(doc = "Where the pages are published."),
        "_compiler": attr.label(default = ":context", executable = True, cfg = "exec", allow_single_file = True),
    },
)
