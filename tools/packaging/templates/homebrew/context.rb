# For the tap contextcompiler/homebrew-tap, as Casks/context.rb.
cask "context" do
  os macos: "darwin", linux: "linux"
  arch arm: "arm64", intel: "amd64"

  version "{{.Version}}"
  sha256 arm:          "{{.Archives.darwin_arm64.SHA256}}",
         intel:        "{{.Archives.darwin_amd64.SHA256}}",
         arm64_linux:  "{{.Archives.linux_arm64.SHA256}}",
         x86_64_linux: "{{.Archives.linux_amd64.SHA256}}"

  url "{{.Repository}}/releases/download/v#{version}/context_#{version}_#{os}_#{arch}.tar.gz"
  name "context"
  desc "Compiler for documentation that answers questions within a token budget"
  homepage "{{.Repository}}"

  binary "context"
  binary "mcp-context-server"
  bash_completion "completions/context.bash"
  fish_completion "completions/context.fish"
  zsh_completion "completions/_context"
{{- range .Archives.linux_amd64.Manual}}
  manpage "{{.}}"
{{- end}}

  # The programs are not notarised, so macOS would refuse to start them.
  postflight do
    if OS.mac?
      system_command "/usr/bin/xattr",
                     args: ["-d", "com.apple.quarantine", "#{staged_path}/context", "#{staged_path}/mcp-context-server"]
    end
  end
end
