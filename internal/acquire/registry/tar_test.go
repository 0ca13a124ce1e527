package registry

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// archiveOf returns the layer of files, which must be in order.
func archiveOf(t testing.TB, names []string, content func(name string) string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := newTarWriter(&out)
	for _, name := range names {
		text := content(name)
		if err := w.add(name, int64(len(text)), strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestTheStandardLibraryReadsLayers(t *testing.T) {
	contents := map[string]string{"documents/": "", "documents/a.json": strings.Repeat("a", 512), "index.json": "{}", "manifest.json": ""}
	names := []string{"documents/", "documents/a.json", "index.json", "manifest.json"}
	in := tar.NewReader(bytes.NewReader(archiveOf(t, names, func(name string) string { return contents[name] })))
	for _, name := range names {
		header, err := in.Next()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil || header.Name != name || string(text) != contents[name] || header.Format != tar.FormatUSTAR {
			t.Errorf("got %s of format %s with %q (%v), want %s with %q", header.Name, header.Format, text, err, name, contents[name])
		}
		if !header.ModTime.IsZero() && header.ModTime.Unix() != 0 || header.Uid != 0 || header.Gid != 0 || header.Uname != "" {
			t.Errorf("%s has a time or an owner: %+v", name, header)
		}
	}
	if _, err := in.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("got %v after the last file, want EOF", err)
	}
}

// A layer has a single form, so changing any byte of its structure makes it invalid.
func TestReadTarAcceptsOnlyWhatTarWriterWrites(t *testing.T) {
	sound := archiveOf(t, []string{"documents/", "documents/a.json", "index.json"}, func(name string) string {
		return map[string]string{"documents/a.json": "text"}[name]
	})
	drop := func(string, int64, io.Reader) error { return nil }
	drain := func(_ string, _ int64, content io.Reader) error {
		_, err := io.Copy(io.Discard, content)
		return err
	}
	if _, err := readTar(bytes.NewReader(sound), drain); err != nil {
		t.Fatal(err)
	}
	if _, err := readTar(bytes.NewReader(sound), drop); err == nil {
		t.Error("a visitor that doesn't read its file goes unnoticed")
	}
	const content = 2 * 512 // of documents/a.json
	for i := range sound {
		damaged := bytes.Clone(sound)
		damaged[i] ^= 1
		isContent := i >= content && i < content+len("text")
		if _, err := readTar(bytes.NewReader(damaged), drain); (err == nil) != isContent {
			t.Errorf("with another byte at %d: %v", i, err)
		}
	}
	for n := range len(sound) {
		if _, err := readTar(bytes.NewReader(sound[:n]), drain); err == nil {
			t.Errorf("the first %d bytes are accepted", n)
		}
	}
	if _, err := readTar(bytes.NewReader(append(sound, 0)), drain); err == nil {
		t.Error("a byte after the end is accepted")
	}
}

func TestTarNamesAndSizesAreBounded(t *testing.T) {
	const largest = 1<<33 - 1 // the field has 11 octal digits
	longest := strings.Repeat("n", maxTarName)
	if err := newTarWriter(io.Discard).begin(longest, largest); err != nil {
		t.Error(err)
	}
	if err := newTarWriter(io.Discard).begin(longest+"n", 0); err == nil || !strings.Contains(err.Error(), longest) {
		t.Errorf("a longer name: %v", err)
	}
	if err := newTarWriter(io.Discard).begin("n", largest+1); err == nil {
		t.Error("a larger file is accepted")
	}
}

// An archive of any tool either equals what tarWriter writes for the same files, or is
// refused.
func FuzzReadTar(f *testing.F) {
	f.Add(archiveOf(f, []string{"documents/", "documents/a.json"}, func(name string) string { return strings.Repeat("x", len(name)-10) }))
	var foreign bytes.Buffer
	w := tar.NewWriter(&foreign)
	w.WriteHeader(&tar.Header{Name: "a", Linkname: "b", Typeflag: tar.TypeSymlink})
	w.Close()
	f.Add(foreign.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		var again bytes.Buffer
		out := newTarWriter(&again)
		_, err := readTar(bytes.NewReader(data), func(name string, size int64, content io.Reader) error {
			return out.add(name, size, content)
		})
		if err != nil {
			t.Skip("refused, so nothing can be written again")
		}
		if err := out.close(); err != nil || !bytes.Equal(again.Bytes(), data) {
			t.Errorf("read an archive that isn't ours (%v)", err)
		}
	})
}

func TestLayersRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,3}`), 0, 5, rapid.ID[string]).Draw(r, "names")
		sizes := rapid.MapOf(rapid.SampledFrom(append(names, "other")), rapid.IntRange(0, 2000)).Draw(r, "sizes")
		slices.Sort(names)
		archive := archiveOf(t, names, func(name string) string { return strings.Repeat(name[:1], sizes[name]) })
		i := 0
		_, err := readTar(bytes.NewReader(archive), func(name string, size int64, content io.Reader) error {
			text, err := io.ReadAll(content)
			if name != names[i] || int(size) != sizes[name] || string(text) != strings.Repeat(name[:1], sizes[name]) {
				r.Errorf("got %s with %d bytes, want %s", name, size, names[i])
			}
			i++
			return err
		})
		if err != nil || i != len(names) {
			r.Errorf("read %d of %d files: %v", i, len(names), err)
		}
	})
}
