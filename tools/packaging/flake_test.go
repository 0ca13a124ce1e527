package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// Nix fetches the modules that go.mod names only if they have the hash in flake.nix,
// which -update writes.
func TestTheFlakeHasTheHashOfTheModules(t *testing.T) {
	flake, err := os.ReadFile("../../flake.nix")
	check(t, err)
	found := regexp.MustCompile(`vendorHash = "(.*)"`).FindSubmatch(flake)
	if found == nil {
		t.Fatal("flake.nix has no vendorHash")
	}
	modules := filepath.Join(t.TempDir(), "vendor")
	vendor := exec.Command("go", "mod", "vendor", "-o", modules)
	vendor.Dir = "../.."
	if out, err := vendor.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", vendor, err, out)
	}
	hash := sha256.New()
	writeString(hash, "nix-archive-1")
	writeNode(t, hash, modules)
	want := "sha256-" + base64.StdEncoding.EncodeToString(hash.Sum(nil))
	if *update {
		check(t, os.WriteFile("../../flake.nix", bytes.Replace(flake, found[1], []byte(want), 1), 0o666))
	} else if string(found[1]) != want {
		t.Errorf("flake.nix has vendorHash %q, want %q: `task golden` writes it", found[1], want)
	}
}

// writeNode writes a directory, or a file that is not executable, in the format of Nix archives.
func writeNode(t *testing.T, w io.Writer, path string) {
	t.Helper()
	entries, err := os.ReadDir(path)
	if err != nil {
		content, err := os.ReadFile(path)
		check(t, err)
		writeString(w, "(", "type", "regular", "contents", string(content), ")")
		return
	}
	writeString(w, "(", "type", "directory")
	for _, entry := range entries {
		writeString(w, "entry", "(", "name", entry.Name(), "node")
		writeNode(t, w, filepath.Join(path, entry.Name()))
		writeString(w, ")")
	}
	writeString(w, ")")
}

// writeString writes texts as a Nix archive has them: length, bytes, and zeros up to a multiple of
// 8.
func writeString(w io.Writer, texts ...string) {
	for _, text := range texts {
		w.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(text))))
		io.WriteString(w, text)
		w.Write(bytes.Repeat([]byte{0}, -len(text)&7))
	}
}
