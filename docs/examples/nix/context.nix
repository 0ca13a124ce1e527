# Compiles pages into a cache of context, in Nix's sandbox and without the network:
#
#   import ./context.nix { compiler = ./context; dir = ./docs; }
#
# The output is the cache, byte for byte the one of `context build --sources docs`. `pages`
# adds files, by their paths in the cache. If `shards` is more than 1, that many derivations
# compile the pages, and another one merges them.
{ compiler
, dir
, pages ? { }
, name ? "docs-cache"
, description ? ""
, shards ? 1
, system ? builtins.currentSystem
}:
let
  inherit (builtins) attrValues concatLists concatStringsSep map mapAttrs stringLength substring;

  isPage = file: builtins.match ".+\\.md" file != null;

  # below lists the pages below a directory of dir, which is itself below other directories. A
  # symlink becomes a file of its own, because its target may be in another shard.
  below = at: above: concatLists (attrValues (mapAttrs
    (entry: type:
      let id = at + entry; in
      if type == "directory" then below "${id}/" (above ++ [ id ])
      else if !isPage entry then [ ]
      else if type == "symlink" then [ (single id (builtins.toFile "page" (builtins.readFile (dir + "/${id}")))) ]
      else [{ inherit id; inside = above ++ [ id ]; }])
    (builtins.readDir (dir + "/${at}"))));
  single = id: file: { inherit id file; inside = [ ]; };
  all = below "" [ ] ++ attrValues (mapAttrs single pages);

  # The shard of a page only depends on its path.
  shardOf = page:
    let hash = (builtins.fromTOML "n = 0x${substring 0 15 (builtins.hashString "sha256" page.id)}").n;
    in toString (hash - hash / shards * shards + 1);

  run = name: args: attributes: derivation ({
    inherit name system;
    builder = compiler;
    args = args ++ [ "--cache" (builtins.placeholder "out") ]
      ++ (if description == "" then [ ] else [ "--description" description ]);
  } // attributes);

  # build compiles some pages. Only these are copied, so a change of any other file changes nothing.
  build = name: pages:
    let
      inside = builtins.listToAttrs (map (name: { inherit name; value = null; }) (concatLists (map (page: page.inside) pages)));
      below = path: substring (stringLength (toString dir) + 1) (stringLength path) path;
      root = builtins.path { name = "pages"; path = dir; filter = path: type: inside ? ${below path}; };
      line = page: "${page.id}\t${page.file or "${root}/${page.id}"}\n";
    in
    run name [ "build" "--sources-list" (builtins.toFile "sources" (concatStringsSep "" (map line pages))) ] { };

  parts = mapAttrs (shard: build "${name}-${shard}") (builtins.groupBy shardOf all);
in
if shards == 1 then build name all
else run name ([ "merge" ] ++ attrValues parts) { preferLocalBuild = true; }
