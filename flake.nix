{
  description = "Compiler for documentation that answers questions within a token budget";

  # Go 1.26 is in nixpkgs from 26.05 on.
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "aarch64-darwin" "aarch64-linux" "x86_64-darwin" "x86_64-linux" ];
      forEach = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in
    {
      packages = forEach (pkgs: {
        default = pkgs.buildGoModule {
          pname = "contextcompiler";
          version = self.shortRev or "dirty";
          src = self;
          # The hash of what `go mod vendor` writes; a test of tools/packaging computes it.
          vendorHash = "sha256-PWJwKNmqeU5o2S90Pg40ZikXLUbzJVRzej/UO4s4yEI=";
          subPackages = [ "cmd/context" "cmd/mcp-context-server" ];
          env.CGO_ENABLED = 0;
          ldflags = [ "-s" "-w" ];
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            go run tools/manpages/main.go man $out/bin/context $out/bin/mcp-context-server
            installManPage man/*
            for shell in bash fish zsh; do $out/bin/context completion $shell > context.$shell; done
            installShellCompletion context.{bash,fish,zsh}
          '';
          meta = {
            description = "Compiler for documentation that answers questions within a token budget";
            homepage = "https://github.com/contextcompiler/context";
            license = pkgs.lib.licenses.mit;
            mainProgram = "context";
          };
        };
      });
    };
}
