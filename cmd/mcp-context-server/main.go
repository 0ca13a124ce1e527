// Command mcp-context-server serves caches to agents over the Model Context
// Protocol. `mcp-context-server --help` says more.
package main

import "github.com/contextcompiler/context/cli"

func main() { cli.RunServer() }
