// Command context compiles Markdown into verifiable caches and selects from
// them. `context --help` says more.
package main

import "github.com/contextcompiler/context/cli"

func main() { cli.Run() }
