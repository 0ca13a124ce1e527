# Compiles pages into a cache of context, in Nix's sandbox and without the network:
#
#   import ./context.nix { compiler = ./context; dir = ./docs; }
#
# The output is the cache, byte for byte the one of `context build --sources docs`. `pages`
# adds files, by their paths in the cache.
{ compiler
, dir
, pages ? { }
, name ? "docs-cache"
, description ? ""
, system ? builtins.currentSystem
}:
let
  # The pages of dir in the store: a change of any other file there changes nothing.
  isPage = path: type: type == "directory" || builtins.match ".*[^/]\\.md" path != null;
  root = builtins.path { name = "pages"; path = dir; filter = isPage; };

  # below returns a line for each page below a directory of root.
  below = at: builtins.concatLists (builtins.attrValues (builtins.mapAttrs
    (entry: type:
      if type == "directory" then below "${at}${entry}/"
      else [ (line "${at}${entry}" "${root}/${at}${entry}") ])
    (builtins.readDir "${root}/${at}")));
  line = path: file: "${path}\t${file}\n";
  single = builtins.attrValues (builtins.mapAttrs line pages);
in
derivation {
  inherit name system;
  builder = compiler;
  args = [
    "build"
    "--sources-list" (builtins.toFile "sources" (builtins.concatStringsSep "" (below "" ++ single)))
    "--cache" (builtins.placeholder "out")
  ] ++ (if description == "" then [ ] else [ "--description" description ]);
}
