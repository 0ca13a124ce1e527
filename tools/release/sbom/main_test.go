package main

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// archiveOf writes an archive with this test in place of both programs.
func archiveOf(t *testing.T, notices string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, content := range map[string][]byte{
		"context.exe": program, "mcp-context-server.exe": program, "THIRD_PARTY_NOTICES": []byte(notices),
	} {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "context.zip")
	if err := os.WriteFile(path, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

const goNotice = "Go (BSD-3-Clause)\n=================\n\nText.\n"

func TestAnSBOMNamesTheModulesInThePrograms(t *testing.T) {
	const module = "github.com/CycloneDX/cyclonedx-go v0.11.0"
	heading := module + " (Apache-2.0, MIT)"
	path := archiveOf(t, goNotice+"\n\n"+heading+"\n"+strings.Repeat("=", len(heading))+"\n")
	text, err := sbom(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := sbom(path)
	if err != nil || !bytes.Equal(text, again) {
		t.Errorf("a second SBOM differs: %v", err)
	}
	var bom cdx.BOM
	if err := cdx.NewBOMDecoder(bytes.NewReader(text), cdx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range *bom.Components {
		names = append(names, c.Name)
		if c.Name+" "+c.Version == module && (c.PackageURL != "pkg:golang/github.com/cyclonedx/cyclonedx-go@v0.11.0" || len(*c.Licenses) != 2) {
			t.Errorf("got %+v", c)
		}
	}
	if got, want := strings.Join(names, " "), "context.exe github.com/CycloneDX/cyclonedx-go std mcp-context-server.exe"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAModuleWithoutANoticeIsAnError(t *testing.T) {
	_, err := sbom(archiveOf(t, goNotice))
	if err == nil || !strings.Contains(err.Error(), `no "github.com/CycloneDX/cyclonedx-go v0.11.0"`) {
		t.Errorf("got %v", err)
	}
}
