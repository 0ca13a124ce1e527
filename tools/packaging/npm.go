package main

import (
	"maps"
	"path/filepath"
	"slices"
)

// Platforms returns the archives in the order of their names, for npm.
func (r release) Platforms() (platforms []platform) {
	for _, name := range slices.Sorted(maps.Keys(r.Archives)) {
		platforms = append(platforms, platform{r, r.Archives[name]})
	}
	return platforms
}

// A platform is a system and an architecture for Node.js.
type platform struct {
	release
	archive
}

// OS returns the system as Node.js calls it.
func (p platform) OS() string {
	if p.System == "windows" {
		return "win32"
	}
	return p.System
}

// CPU returns the architecture as Node.js calls it.
func (p platform) CPU() string {
	if p.Architecture == "amd64" {
		return "x64"
	}
	return p.Architecture
}

// Package returns the name of the package, without its scope.
func (p platform) Package() string { return "context-" + p.OS() + "-" + p.CPU() }

// writePackage writes the package of a platform below out.
func (p platform) writePackage(out string) error {
	dir := filepath.Join(out, "npm", p.Package())
	if err := render("npm/platform", dir, p); err != nil {
		return err
	}
	for _, name := range []string{"context" + p.Suffix(), "mcp-context-server" + p.Suffix()} {
		if err := write(filepath.Join(dir, "bin", name), p.holds[name], 0o755); err != nil {
			return err
		}
	}
	for _, name := range []string{"LICENSE", "THIRD_PARTY_NOTICES"} {
		if err := write(filepath.Join(dir, name), p.holds[name], 0o644); err != nil {
			return err
		}
	}
	return nil
}
