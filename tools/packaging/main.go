// Packaging writes what package managers need to install a release, from its
// archives:
//
//	npm/         packages for npm: a launcher, and one for each platform
//	context_*.mcpb   the bundle for Claude Desktop
//	server.json  the entry in the registry of MCP servers
//	homebrew/, scoop/, winget/, aur/   what goes into a tap, a bucket, and so on
//
// The directory templates contains everything except the archives. Each archive
// must match its checksum in SHA256SUMS, and the same archives always result in the
// same bytes.
//
// Usage: packaging DIST OUT. DIST must contain the archives and SHA256SUMS.
package main

import (
	"errors"
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: packaging DIST OUT")
	}
	r, err := readRelease(args[0])
	if err != nil {
		return err
	}
	return r.writeTo(args[1])
}
