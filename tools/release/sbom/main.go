// Sbom lists the parts of a release archive in CycloneDX: the programs, the modules
// linked into them, Go, and their licences. It fails if THIRD_PARTY_NOTICES
// contains no licence for a module.
//
//	sbom ARCHIVE FILE
//
// The same archive always results in the same bytes.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"

	"github.com/contextcompiler/context/tools/release/internal/archive"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: sbom ARCHIVE FILE")
		os.Exit(1)
	}
	text, err := sbom(os.Args[1])
	if err == nil {
		err = os.WriteFile(os.Args[2], text, 0o666)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// sbom returns the JSON for the archive at path.
func sbom(path string) ([]byte, error) {
	a, err := archive.Open(path)
	if err != nil {
		return nil, err
	}
	programs, err := a.Programs()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	main := programs[0].Info.Main
	root := component(cdx.ComponentTypeApplication, main.Path, main.Version, []string{"MIT"})
	root.BOMRef, root.Name, root.Hashes = filepath.Base(path), filepath.Base(path), hashes(a.Bytes)

	b := builder{licences: licences(a.Files["THIRD_PARTY_NOTICES"]), seen: map[string]bool{}}
	for _, p := range programs {
		if err := b.addProgram(p); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, p.Name, err)
		}
	}
	b.depend(root.BOMRef, programs[0].Name, programs[1].Name)

	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Timestamp: programs[0].Setting("vcs.time"), Component: &root}
	bom.Components, bom.Dependencies = &b.components, &b.dependencies
	var text bytes.Buffer
	err = cdx.NewBOMEncoder(&text, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6)
	return text.Bytes(), err
}

// A builder collects components, because the programs share most of them.
type builder struct {
	licences     map[string][]string // by module and version, as in THIRD_PARTY_NOTICES
	seen         map[string]bool     // references
	components   []cdx.Component
	dependencies []cdx.Dependency
}

func (b *builder) addProgram(p archive.Program) error {
	program := component(cdx.ComponentTypeApplication, p.Info.Main.Path, p.Info.Main.Version, []string{"MIT"})
	program.BOMRef, program.Name, program.Hashes = p.Name, p.Name, hashes(p.Content)
	program.PackageURL += "#" + strings.TrimPrefix(p.Info.Path, p.Info.Main.Path+"/")
	b.components = append(b.components, program)

	std := &debug.Module{Path: "std", Version: strings.TrimPrefix(p.Info.GoVersion, "go")}
	var refs []string
	for _, module := range append(p.Info.Deps, std) {
		ref, err := b.addModule(module)
		if err != nil {
			return err
		}
		refs = append(refs, ref)
	}
	b.depend(p.Name, refs...)
	return nil
}

// addModule adds a module and returns its reference.
func (b *builder) addModule(module *debug.Module) (string, error) {
	notice := module.Path + " " + module.Version
	if module.Path == "std" {
		notice = "Go"
	}
	licences := b.licences[notice]
	if licences == nil {
		return "", fmt.Errorf("THIRD_PARTY_NOTICES has no %q: run task notices", notice)
	}
	c := component(cdx.ComponentTypeLibrary, module.Path, module.Version, licences)
	if !b.seen[c.BOMRef] {
		b.seen[c.BOMRef] = true
		b.components = append(b.components, c)
		b.depend(c.BOMRef)
	}
	return c.BOMRef, nil
}

// depend records that a component was made from others.
func (b *builder) depend(ref string, on ...string) {
	b.dependencies = append(b.dependencies, cdx.Dependency{Ref: ref, Dependencies: &on})
}

// component returns a Go package with its package URL, which is also its reference.
func component(kind cdx.ComponentType, path, version string, licences []string) cdx.Component {
	url := "pkg:golang/" + strings.ToLower(path) + "@" + strings.ReplaceAll(version, "+", "%2B")
	var choices cdx.Licenses
	for _, id := range licences {
		choices = append(choices, cdx.LicenseChoice{License: &cdx.License{ID: id}})
	}
	return cdx.Component{BOMRef: url, Type: kind, Name: path, Version: version, PackageURL: url, Licenses: &choices}
}

func hashes(content []byte) *[]cdx.Hash {
	sum := sha256.Sum256(content)
	return &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}}
}

var noticeHeading = regexp.MustCompile(`(?m)^(.+) \((.+)\)\n=+$`)

// licences returns the SPDX identifiers in the headings of THIRD_PARTY_NOTICES.
func licences(notices []byte) map[string][]string {
	ids := map[string][]string{}
	for _, heading := range noticeHeading.FindAllSubmatch(notices, -1) {
		ids[string(heading[1])] = strings.Split(string(heading[2]), ", ")
	}
	return ids
}
