package main

import (
	"archive/tar"
	"bytes"
	"debug/buildinfo"
	"errors"
	"io"
	"maps"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"github.com/contextcompiler/context/tools/release/internal/archive"
)

var program = archive.Program{
	Name:    "context",
	Content: []byte("a program"),
	Info: &buildinfo.BuildInfo{
		Main: debug.Module{Version: "v0.9.9"},
		Settings: []debug.BuildSetting{
			{Key: "GOOS", Value: "linux"},
			{Key: "GOARCH", Value: "arm64"},
			{Key: "vcs.time", Value: "2001-02-03T04:05:06Z"},
			{Key: "vcs.revision", Value: "abc"},
		},
	},
}

func TestTheImageHasTheProgramsAndTheirLicences(t *testing.T) {
	a := &archive.Archive{Files: map[string][]byte{"LICENSE": []byte("MIT"), "THIRD_PARTY_NOTICES": []byte("notices"), "README.md": nil}}
	files, err := filesOf(a, []archive.Program{program})
	if err != nil {
		t.Fatal(err)
	}
	img, err := image(program, files)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasSuffix(files, make([]byte, 1024)) {
		t.Error("the layer has no end")
	}
	found := map[string]int64{} // mode by name
	for r := tar.NewReader(mutate.Extract(img)); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		found[header.Name] = header.Mode
	}
	want := map[string]int64{
		"usr": 0o755, "usr/bin": 0o755, "usr/share": 0o755, "usr/share/doc": 0o755, "usr/share/doc/context": 0o755, "work": 0o1777,
		"usr/bin/context": 0o755, "usr/share/doc/context/LICENSE": 0o644, "usr/share/doc/context/THIRD_PARTY_NOTICES": 0o644,
	}
	if !maps.Equal(found, want) {
		t.Errorf("got %v, want %v", found, want)
	}
	config, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if config.Architecture != "arm64" || config.Config.Labels["org.opencontainers.image.version"] != "v0.9.9" ||
		!slices.Equal(config.Config.Entrypoint, []string{"/usr/bin/context"}) {
		t.Errorf("got %+v", config)
	}
}

// The same programs make the same image on every machine. Another version of Go or of
// go-containerregistry may compress or write it in another way.
func TestTheDigestOfAnImageIsFixed(t *testing.T) {
	img, err := image(program, nil)
	if err != nil {
		t.Fatal(err)
	}
	digest, err := img.Digest()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := digest.String(), "sha256:b601046b69eb207ac73f1cbd9112b218772c5c06618dcb3a10c6f7daa1fdbbe4"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
