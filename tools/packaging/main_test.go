package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/macho"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite what the packages should hold")

// writeArchives writes a release of made-up programs and returns its directory.
// edit may change the contents of an archive.
func writeArchives(t *testing.T, version string, edit func(name string, files map[string]string)) string {
	t.Helper()
	dist := t.TempDir()
	var sums strings.Builder
	for _, system := range []string{"darwin", "freebsd", "linux", "windows"} {
		for _, architecture := range []string{"amd64", "arm64"} {
			name := fmt.Sprintf("context_%s_%s_%s", version, system, architecture)
			files := map[string]string{
				"LICENSE":                "the licence",
				"THIRD_PARTY_NOTICES":    "the notices",
				"man/man1/context.1":     ".TH context",
				"man/man1/context-ask.1": ".TH context ask",
			}
			pack, extension, suffix := packTar, ".tar.gz", ""
			if system == "windows" {
				pack, extension, suffix = packZip, ".zip", ".exe"
			}
			for _, program := range []string{"context", "mcp-context-server"} {
				files[program+suffix] = fakeProgram(system, architecture) + program
			}
			if edit != nil {
				edit(name, files)
			}
			content := pack(t, files)
			if err := os.WriteFile(filepath.Join(dist, name+extension), content, 0o666); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&sums, "%s  %s\n", file{content: content}.SHA256(), name+extension)
		}
	}
	sums.WriteString(strings.Repeat("0", 64) + "  context_" + version + "_linux_amd64.deb\n")
	if err := os.WriteFile(filepath.Join(dist, "SHA256SUMS"), []byte(sums.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return dist
}

// fakeProgram returns the first bytes of a program: for macOS, the header of an executable.
func fakeProgram(system, architecture string) string {
	if system != "darwin" {
		return system + " " + architecture + " "
	}
	cpu := macho.CpuAmd64
	if architecture == "arm64" {
		cpu = macho.CpuArm64
	}
	var header bytes.Buffer
	err := binary.Write(&header, binary.LittleEndian, []uint32{macho.Magic64, uint32(cpu), 3, uint32(macho.TypeExec), 0, 0, 0, 0})
	if err != nil {
		panic(err)
	}
	return header.String()
}

func packTar(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&out, gzip.NoCompression) // no compressor decides the hash
	check(t, err)
	w := tar.NewWriter(compressed)
	check(t, w.WriteHeader(&tar.Header{Name: "man/", Typeflag: tar.TypeDir, Mode: 0o755}))
	for _, name := range slices.Sorted(maps.Keys(files)) {
		check(t, w.WriteHeader(&tar.Header{Name: name, Size: int64(len(files[name])), Mode: 0o755}))
		_, err := io.WriteString(w, files[name])
		check(t, err)
	}
	check(t, w.Close())
	check(t, compressed.Close())
	return out.Bytes()
}

func packZip(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		entry, err := w.CreateHeader(&zip.FileHeader{Name: name})
		check(t, err)
		_, err = io.WriteString(entry, files[name])
		check(t, err)
	}
	check(t, w.Close())
	return out.Bytes()
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// writePackages writes the packages of made-up archives and returns their directory.
func writePackages(t *testing.T, version string) string {
	t.Helper()
	out := t.TempDir()
	check(t, run([]string{writeArchives(t, version, nil), out}))
	return out
}

// readTree returns the files below a directory by their paths, in order.
func readTree(t *testing.T, dir string) *txtar.Archive {
	t.Helper()
	var tree txtar.Archive
	check(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		tree.Files = append(tree.Files, txtar.File{Name: filepath.ToSlash(name), Data: content})
		return err
	}))
	return &tree
}

// The text of all packages is in testdata, to review. A change of it is made by
// `go -C tools test ./packaging -update`.
func TestThePackagesAreThoseInTestdata(t *testing.T) {
	tree := readTree(t, writePackages(t, "1.2.3"))
	tree.Files = slices.DeleteFunc(tree.Files, func(f txtar.File) bool {
		return strings.Contains(f.Name, "/bin/") || strings.HasSuffix(f.Name, ".mcpb")
	})
	const golden = "testdata/packages.txtar"
	if *update {
		check(t, os.WriteFile(golden, txtar.Format(tree), 0o666))
	}
	want, err := txtar.ParseFile(golden)
	check(t, err)
	if len(tree.Files) != len(want.Files) {
		t.Fatalf("got %d files, want %d", len(tree.Files), len(want.Files))
	}
	for i, f := range tree.Files {
		if f.Name != want.Files[i].Name || !bytes.Equal(txtarText(f.Data), want.Files[i].Data) {
			t.Errorf("got %s:\n%s\nwant %s:\n%s", f.Name, f.Data, want.Files[i].Name, want.Files[i].Data)
		}
	}
}

// txtarText returns a text as txtar stores it: it ends with a new line.
func txtarText(text []byte) []byte {
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		return append(text, '\n')
	}
	return text
}

func TestTheSameArchivesGiveTheSameBytes(t *testing.T) {
	one, two := readTree(t, writePackages(t, "1.2.3")), readTree(t, writePackages(t, "1.2.3"))
	if !bytes.Equal(txtar.Format(one), txtar.Format(two)) {
		t.Error("the packages differ")
	}
}

// Each npm package contains the programs of its platform, and everybody may run them.
func TestAPackageHasItsPrograms(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o077))
	out := writePackages(t, "1.2.3")
	for name, want := range map[string]string{
		"context-linux-arm64/bin/context":              "linux arm64 context",
		"context-freebsd-x64/bin/mcp-context-server":   "freebsd amd64 mcp-context-server",
		"context-win32-x64/bin/mcp-context-server.exe": "windows amd64 mcp-context-server",
		"context-darwin-arm64/bin/context":             fakeProgram("darwin", "arm64") + "context",
	} {
		path := filepath.Join(out, "npm", name)
		got, err := os.ReadFile(path)
		check(t, err)
		if string(got) != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != 0o755 {
			t.Errorf("%s: not everybody may run it: %v, %v", name, info, err)
		}
	}
}

func TestTheBundleHasAProgramForEverySystem(t *testing.T) {
	out := writePackages(t, "1.2.3")
	bundle, err := zip.OpenReader(filepath.Join(out, "context_1.2.3.mcpb"))
	check(t, err)
	defer bundle.Close()
	content, executable := map[string]string{}, map[string]bool{}
	for _, f := range bundle.File {
		opened, err := f.Open()
		check(t, err)
		text, err := io.ReadAll(opened)
		check(t, err)
		content[f.Name], executable[f.Name] = string(text), f.Mode()&0o111 != 0
	}
	for path, want := range map[string]string{
		"LICENSE":                      "the licence",
		"THIRD_PARTY_NOTICES":          "the notices",
		"server/linux/context-x86_64":  "linux amd64 context",
		"server/linux/context-aarch64": "linux arm64 context",
		"server/win32/context.exe":     "windows amd64 context",
	} {
		if content[path] != want || executable[path] != strings.HasPrefix(path, "server/") {
			t.Errorf("%s: got %q, executable %t", path, content[path], executable[path])
		}
	}
	var manifest struct {
		Version string
		Server  struct {
			MCPConfig struct {
				Command           string
				PlatformOverrides map[string]struct{ Command string } `json:"platform_overrides"`
			} `json:"mcp_config"`
		}
	}
	check(t, json.Unmarshal([]byte(content["manifest.json"]), &manifest))
	config := manifest.Server.MCPConfig
	for _, command := range []string{config.Command, config.PlatformOverrides["linux"].Command, config.PlatformOverrides["win32"].Command} {
		if path := strings.TrimPrefix(command, "${__dirname}/"); manifest.Version != "1.2.3" || !executable[path] {
			t.Errorf("version %s: command %q is no program of the bundle", manifest.Version, command)
		}
	}
	fat, err := macho.NewFatFile(strings.NewReader(content["server/darwin/context"]))
	check(t, err)
	if len(fat.Arches) != 2 {
		t.Fatalf("got %d architectures, want 2", len(fat.Arches))
	}
	for i, architecture := range []string{"amd64", "arm64"} {
		a := fat.Arches[i]
		got := content["server/darwin/context"][a.Offset : a.Offset+a.Size]
		if want := fakeProgram("darwin", architecture) + "context"; got != want || a.Offset%(1<<a.Align) != 0 {
			t.Errorf("%s: got %q at %d", architecture, got, a.Offset)
		}
	}
}

// registry is the module of the registry, which has the schemas of its entries.
const registry = "github.com/modelcontextprotocol/registry@v1.8.7"

func TestTheRegistryTakesServerJSON(t *testing.T) {
	download, err := exec.Command("go", "mod", "download", "-json", registry).Output()
	if err != nil {
		t.Skipf("%s cannot be downloaded: %v: %s", registry, err, download)
	}
	var module struct{ Dir string }
	check(t, json.Unmarshal(download, &module))
	text, err := os.ReadFile(filepath.Join(module.Dir, "internal/validators/schemas/2025-12-11.json"))
	check(t, err)
	var schema jsonschema.Schema
	check(t, json.Unmarshal(text, &schema))
	resolved, err := schema.Resolve(nil)
	check(t, err)
	if text, err = os.ReadFile(filepath.Join(writePackages(t, "1.2.3"), "registry/server.json")); err != nil {
		t.Fatal(err)
	}
	var server map[string]any
	check(t, json.Unmarshal(text, &server))
	if server["$schema"] != schema.ID {
		t.Errorf("got schema %v, want %v", server["$schema"], schema.ID)
	}
	check(t, resolved.Validate(server))
	delete(server["packages"].([]any)[0].(map[string]any), "transport")
	if resolved.Validate(server) == nil {
		t.Error("a package without a transport was taken")
	}
}

func TestAReleaseThatIsNotWholeIsRefused(t *testing.T) {
	sums := func(edit func(string) string) func(t *testing.T, dist string) {
		return func(t *testing.T, dist string) {
			path := filepath.Join(dist, "SHA256SUMS")
			text, err := os.ReadFile(path)
			check(t, err)
			check(t, os.WriteFile(path, []byte(edit(string(text))), 0o666))
		}
	}
	for _, c := range []struct {
		want  string
		spoil func(t *testing.T, dist string)
	}{
		{"SHA256SUMS: no such file", func(t *testing.T, dist string) { check(t, os.Remove(filepath.Join(dist, "SHA256SUMS"))) }},
		{"SHA256SUMS names 0 archives", sums(func(string) string { return "" })},
		{"SHA256SUMS names 7 archives", sums(func(s string) string { return s[strings.Index(s, "\n")+1:] })},
		{"of version 1.2.3 and of 1.2.4", sums(func(s string) string { return strings.Replace(s, "1.2.3_windows", "1.2.4_windows", 1) })},
		{"context_1.2.3_linux_arm64.tar.gz: it has the hash", func(t *testing.T, dist string) {
			check(t, os.WriteFile(filepath.Join(dist, "context_1.2.3_linux_arm64.tar.gz"), nil, 0o666))
		}},
		{"context_1.2.3_linux_arm64.tar.gz: no such file", func(t *testing.T, dist string) {
			check(t, os.Remove(filepath.Join(dist, "context_1.2.3_linux_arm64.tar.gz")))
		}},
	} {
		dist := writeArchives(t, "1.2.3", nil)
		c.spoil(t, dist)
		out := filepath.Join(t.TempDir(), "out")
		if err := run([]string{dist, out}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: packages were written", c.want)
		}
	}
	dist := writeArchives(t, "1.2.3", func(_ string, files map[string]string) { delete(files, "THIRD_PARTY_NOTICES") })
	if err := run([]string{dist, t.TempDir()}); err == nil || !strings.Contains(err.Error(), "amd64.tar.gz has no THIRD_PARTY_NOTICES") {
		t.Errorf("got %v", err)
	}
}
