package verify_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/effort"
	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/internal/caches/verify"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

// smallSources contain equal contents, IDs outside ASCII, an empty document, front
// matter, and characters that JSON escapes.
var smallSources = map[string]string{
	"README.md":  "---\ntitle: Read\ntags: [a, b]\nn: 70\n---\n# Read\vme\n",
	"a.md":       "same\n",
	"Ä/É.md":     "same\n",
	"b/empty.md": "",
	"日本.md":      "# 日本 \"q\" \\ <b>\r\n",
}

// A victim is a cache to be damaged again and again.
type victim struct {
	path    string
	files   map[string]string // undamaged
	answer  string            // of Resolve for the undamaged cache
	indexed bool              // contains a selection index
	step    int               // between two damaged places
}

// A victimKind says how to make a victim.
type victimKind struct {
	name      string
	selection int
	without   string // file to remove; "" for none
	selected  int    // documents in the answer
	step      int
	about     document.About
}

// victimKinds lists all kinds of caches, except for a cache for selection 1 without
// selection.idx. Nothing else binds its manifest, so if damage renames the field for the
// selection, readers would ignore the field.
var victimKinds = []victimKind{
	{"indexed=true", 0, "", 5, 1, document.About{}},
	{"indexed=false", 0, trees.Index, 5, 1, document.About{}},
	{"selection=1", 1, "", 3, 5, document.About{}},
	{"about", 0, "", 5, 3, document.About{Description: "Documents \\ \"é\"", BaseURL: "https://example.com/{path}", Product: document.Product{Name: "next", Version: "16"}}},
}

func buildVictim(t *testing.T, kind victimKind) *victim {
	t.Helper()
	dir := t.TempDir()
	docs := filepath.Join(dir, "docs")
	trees.WriteTree(t, docs, smallSources)
	path := filepath.Join(dir, "cache")
	if _, err := pipeline.Build(t.Context(), pipeline.Config{Sources: []pipeline.Mount{{Dir: docs}}, Cache: path, Selection: selection.SpecOf(kind.selection), About: kind.about}); err != nil {
		t.Fatal(err)
	}
	if kind.without != "" {
		if err := os.Remove(filepath.Join(path, kind.without)); err != nil {
			t.Fatal(err)
		}
	}
	v := &victim{path: path, files: trees.ReadTree(t, path), indexed: kind.without != trees.Index, step: kind.step}
	if got := len(withoutIndexes(v.files)); got != len(smallSources)+2 {
		t.Fatalf("got %d files, want one a document and two", got)
	}
	var out bytes.Buffer
	if err := resolveAll(path, &out); err != nil {
		t.Fatal(err)
	}
	v.answer = out.String()
	if !strings.Contains(v.answer, fmt.Sprintf(`"documents_selected":%d`, kind.selected)) {
		t.Fatalf("got %s, want %d documents", v.answer, kind.selected)
	}
	return v
}

func withoutIndexes(files map[string]string) map[string]string {
	files = maps.Clone(files)
	delete(files, trees.Index)
	return files
}

// copy returns another victim with the same contents.
func (v *victim) copy(t *testing.T) *victim {
	t.Helper()
	c := *v
	c.path = filepath.Join(t.TempDir(), "cache")
	trees.WriteTree(t, c.path, c.files)
	return &c
}

var nilContext = context.Background()

// resolveAll answers with all documents of the cache at path.
func resolveAll(path string, out io.Writer) error {
	query, err := selection.ParseQuery("read SAME 日本")
	if err != nil {
		return err
	}
	c, err := answers.Open(path)
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Resolve(nilContext, selection.Request{Query: query, Budget: 1 << 40, Jobs: 1}, out)
}

// examine fails the test unless Resolve and Verify agree about the cache. It returns
// whether Verify finds anything.
func (v *victim) examine(t *testing.T, damage string) (found bool) {
	t.Helper()
	verified, err := verify.Path(nilContext, v.path, 1)
	if err != nil {
		t.Errorf("%s: verify: %v", damage, err)
		return false
	}
	found = len(verified.Findings) > 0
	var out bytes.Buffer
	err = resolveAll(v.path, &out)
	switch {
	case err == nil && out.String() != v.answer:
		t.Errorf("%s: resolve: got %s, want %s", damage, out.String(), v.answer)
	case err != nil && fault.CodeOf(err) != fault.CacheInvalid:
		t.Errorf("%s: resolve: got %v, want %v", damage, err, fault.CacheInvalid)
	case err != nil && out.Len() > 0:
		t.Errorf("%s: resolve: got %v, but wrote %s", damage, err, out.String())
	case err != nil && !found:
		t.Errorf("%s: resolve: got %v, but verify finds nothing", damage, err)
	}
	return found
}

// inspect fails the test unless Inspect calls the cache valid exactly when there are no
// findings.
func (v *victim) inspect(t *testing.T, damage string, found bool) {
	t.Helper()
	inspected, err := verify.Path(nilContext, v.path, 1)
	switch {
	case err != nil && fault.CodeOf(err) != fault.CacheInvalid:
		t.Errorf("%s: inspect: got %v, want %v", damage, err, fault.CacheInvalid)
	case (err == nil && inspected.IsValid()) == found:
		t.Errorf("%s: inspect: got valid=%v, %v, but verify found anything: %v", damage, inspected.IsValid(), err, found)
	}
}

// A verdict says how a change of a file affects the meaning of the cache.
type verdict string

const (
	same    verdict = "same"
	changed verdict = "changed"

	// No check covers created_at. The others are only covered by a selection index.
	createdAt     verdict = "created_at"
	caseOfSource  verdict = "letter case of a source"
	metadataKey   verdict = "metadata key"
	metadataValue verdict = "metadata value"
)

// judge compares two texts of a file by reading them with the standard library. In
// index.json and in the selection index, every byte matters.
func (v *victim) judge(name, before, after string) verdict {
	bySum := name == trees.Index || strings.HasPrefix(name, "documents/")
	bySize := name == "manifest.json" && len(before) != len(after)
	if v.indexed && (bySum && before != after || bySize) || name == "index.json" && before != after {
		return changed
	}
	old, ok := decodeStrictly(before)
	if !ok {
		panic("the undamaged file cannot be read")
	}
	new, ok := decodeStrictly(after)
	if !ok {
		return changed
	}
	switch {
	case name == "manifest.json":
		return judgeManifests(old, new)
	case name == "index.json":
		return same
	}
	return judgeDocuments(old, new)
}

func judgeManifests(old, new map[string]any) verdict {
	at, ok := new["created_at"].(string)
	if !ok || !cmp.Equal(manifestFields(old), manifestFields(new)) {
		return changed
	}
	if at != old["created_at"] {
		return createdAt
	}
	return same
}

// manifestFields returns the fields of a manifest, except for created_at and for unknown
// fields, which readers ignore.
func manifestFields(m map[string]any) []any {
	config, _ := m["build_config"].(map[string]any)
	fields := []any{m["cache_version"], config["version"], config["hash_algorithm"], m["document_count"], m["selection"], m["description"], m["base_url"], m["product"], m["product_version"]}
	documents, ok := m["documents"].([]any)
	fields = append(fields, ok)
	for _, d := range documents {
		entry, _ := d.(map[string]any)
		fields = append(fields, entry["id"], entry["version"], entry["file"])
	}
	return fields
}

func judgeDocuments(old, new map[string]any) verdict {
	for _, field := range []string{"id", "version", "content"} {
		if !cmp.Equal(old[field], new[field]) {
			return changed
		}
	}
	before, _ := old["source"].(string)
	after, ok := new["source"].(string)
	if !ok || !strings.EqualFold(before, after) {
		return changed
	}
	metadataBefore, _ := old["metadata"].(map[string]any)
	metadataAfter, ok := new["metadata"].(map[string]any)
	switch {
	case !ok:
		return changed
	case before != after:
		return caseOfSource
	case !slices.Equal(slices.Sorted(maps.Keys(metadataBefore)), slices.Sorted(maps.Keys(metadataAfter))):
		return metadataKey
	case !cmp.Equal(metadataBefore, metadataAfter):
		return metadataValue
	}
	return same
}

// decodeStrictly reads a JSON object with encoding/json, but refuses what that
// tolerates: keys in another case, duplicate keys, and text other than UTF-8.
func decodeStrictly(text string) (map[string]any, bool) {
	if !utf8.ValidString(text) || !json.Valid([]byte(text)) || hasRepeatedKey(text) {
		return nil, false
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber() // 7 and 7.0 differ
	var object map[string]any
	err := d.Decode(&object)
	return object, err == nil && object != nil
}

func hasRepeatedKey(text string) bool {
	d := json.NewDecoder(strings.NewReader(text))
	var value func() bool
	value = func() bool {
		token, _ := d.Token()
		delim, _ := token.(json.Delim)
		seen := map[json.Token]bool{}
		for (delim == '{' || delim == '[') && d.More() {
			if delim == '{' {
				key, _ := d.Token()
				if seen[key] {
					return true
				}
				seen[key] = true
			}
			if value() {
				return true
			}
		}
		if delim == '{' || delim == '[' {
			d.Token()
		}
		return false
	}
	return value()
}

// A mutation makes a different text of a file for each position.
type mutation struct {
	name  string
	step  int // between two positions
	apply func(text string, at int) string
}

func flip(mask byte) mutation {
	return mutation{fmt.Sprintf("xor %#02x", mask), 1, func(text string, at int) string {
		return text[:at] + string([]byte{text[at] ^ mask}) + text[at+1:]
	}}
}

var mutations = []mutation{
	flip(0x01), flip(0x20), flip(0x80),
	{"truncated", 1, func(text string, at int) string { return text[:at] }},
	{"byte removed", 3, func(text string, at int) string { return text[:at] + text[at+1:] }},
	{"space inserted", 3, func(text string, at int) string { return text[:at] + " " + text[at:] }},
}

// A tally counts mutations by their verdict and by whether verify found them. It is safe
// for concurrent use.
type tally struct {
	sync.Mutex
	counts map[string]int
}

func (y *tally) add(m mutation, v verdict, found bool) {
	y.Lock()
	defer y.Unlock()
	kind, _, _ := strings.Cut(m.name, " ") // all flips count as a single kind
	y.counts[fmt.Sprintf("%-9s %s, found: %v", kind, v, found)]++
}

// Verify finds a changed byte exactly when the change affects the meaning of the cache.
// Resolve either prints the same answer or fails.
func TestDamageIsFoundIfAndOnlyIfItChangesTheMeaning(t *testing.T) {
	for _, kind := range victimKinds {
		t.Run(kind.name, func(t *testing.T) { damageEverywhere(t, buildVictim(t, kind)) })
	}
}

func damageEverywhere(t *testing.T, original *victim) {
	if original.examine(t, "none") {
		t.Fatal("verify finds something in an undamaged cache")
	}
	results := &tally{counts: map[string]int{}}
	t.Run("group", func(t *testing.T) {
		for name := range original.files {
			for _, m := range mutations {
				t.Run(name+" "+m.name, func(t *testing.T) {
					t.Parallel()
					mutateEverywhere(t, original.copy(t), name, m, results)
				})
			}
		}
	})
	for _, outcome := range slices.Sorted(maps.Keys(results.counts)) {
		t.Logf("%6d %s", results.counts[outcome], outcome)
	}
}

func mutateEverywhere(t *testing.T, v *victim, name string, m mutation, results *tally) {
	text := v.files[name]
	path := filepath.Join(v.path, filepath.FromSlash(name))
	step := m.step * v.step * effort.Cases(1, 11)
	for at := 0; at < len(text); at += step {
		mutated := m.apply(text, at)
		if err := os.WriteFile(path, []byte(mutated), 0o666); err != nil {
			t.Fatal(err)
		}
		damage := fmt.Sprintf("%s at %d of %s", m.name, at, name)
		found := v.examine(t, damage)
		verdict := v.judge(name, text, mutated)
		if verdict != changed || at%4 == 0 { // Inspect repeats the verification
			v.inspect(t, damage, found)
		}
		results.add(m, verdict, found)
		if verdict == changed && !found || verdict == same && found {
			t.Errorf("%s: the meaning is %s, but verify finds anything: %v\n%s", damage, verdict, found, mutated)
		}
	}
}

// A breakage changes which files a cache contains.
type breakage struct {
	name string
	do   func(path string) error
}

// breakages returns all changes of whole files in v. elsewhere is the absolute path of a
// copy of the cache.
func (v *victim) breakages(elsewhere string) []breakage {
	var all []breakage
	add := func(name string, do func(path string) error) { all = append(all, breakage{name, do}) }
	names := slices.Sorted(maps.Keys(v.files))
	for _, name := range names {
		for how, replace := range replacements(name, elsewhere) {
			add(name+" is "+how, func(path string) error {
				at := filepath.Join(path, name)
				if err := os.Remove(at); err != nil {
					return err
				}
				return replace(at)
			})
		}
		for _, twin := range []string{"copy.json", "documents/copy.json", "documents/a6328afc76e9-12345678.json", ".manifest.json", "documents/.x"} {
			add(name+" stands again as "+twin, func(path string) error {
				return os.WriteFile(filepath.Join(path, twin), []byte(v.files[name]), 0o666)
			})
		}
		for _, other := range names {
			if name == other {
				continue
			}
			add(name+" is a copy of "+other, func(path string) error {
				return os.WriteFile(filepath.Join(path, name), []byte(v.files[other]), 0o666)
			})
			add(name+" and "+other+" are swapped", func(path string) error { return swap(filepath.Join(path, name), filepath.Join(path, other)) })
		}
	}
	return append(all, v.breakagesOfDirectories(elsewhere)...)
}

// replacements returns what could be in the place of a file, by its name.
func replacements(name, elsewhere string) map[string]func(at string) error {
	return map[string]func(at string) error{
		"deleted":                   func(string) error { return nil },
		"empty":                     func(at string) error { return os.WriteFile(at, nil, 0o666) },
		"a directory":               func(at string) error { return os.Mkdir(at, 0o777) },
		"a pipe":                    func(at string) error { return exec.Command("mkfifo", at).Run() },
		"a symlink to its copy":     func(at string) error { return os.Symlink(filepath.Join(elsewhere, name), at) },
		"a symlink to itself":       func(at string) error { return os.Symlink(filepath.Base(at), at) },
		"a symlink to nothing":      func(at string) error { return os.Symlink("nothing", at) },
		"a symlink to a device":     func(at string) error { return os.Symlink(os.DevNull, at) },
		"called in upper case":      func(at string) error { return copyFile(filepath.Join(elsewhere, name), upper(at)) },
		"a directory that holds it": func(at string) error { return copyFile(filepath.Join(elsewhere, name), filepath.Join(at, name)) },
	}
}

func upper(path string) string {
	return filepath.Join(filepath.Dir(path), strings.ToUpper(filepath.Base(path)))
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o777)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o666)
}

func swap(a, b string) error {
	aside := a + ".aside"
	for _, move := range [][2]string{{a, aside}, {b, a}, {aside, b}} {
		if err := os.Rename(move[0], move[1]); err != nil {
			return err
		}
	}
	return nil
}

func (v *victim) breakagesOfDirectories(elsewhere string) []breakage {
	var all []breakage
	add := func(name string, do func(path string) error) { all = append(all, breakage{name, do}) }
	for _, stray := range []string{"x", ".x", "documents/x", "documents/.x", "documents/0123456789ab.json", "selection.idx.tmp", "Manifest.JSON.bak"} {
		add("a file "+stray, func(path string) error { return os.WriteFile(filepath.Join(path, stray), nil, 0o666) })
		add("a directory "+stray, func(path string) error { return os.Mkdir(filepath.Join(path, stray), 0o777) })
		add("a symlink "+stray, func(path string) error { return os.Symlink("nothing", filepath.Join(path, stray)) })
		add("a pipe "+stray, func(path string) error { return exec.Command("mkfifo", filepath.Join(path, stray)).Run() })
	}
	documents := func(replace func(at string) error) func(string) error {
		return func(path string) error {
			at := filepath.Join(path, "documents")
			if err := os.RemoveAll(at); err != nil {
				return err
			}
			return replace(at)
		}
	}
	add("documents is gone", documents(func(string) error { return nil }))
	add("documents is a file", documents(func(at string) error { return os.WriteFile(at, nil, 0o666) }))
	add("documents is a pipe", documents(func(at string) error { return exec.Command("mkfifo", at).Run() }))
	add("documents is a symlink to its copy", documents(func(at string) error { return os.Symlink(filepath.Join(elsewhere, "documents"), at) }))
	add("documents is a symlink to itself", documents(func(at string) error { return os.Symlink("documents", at) }))
	add("documents is empty", documents(func(at string) error { return os.Mkdir(at, 0o777) }))
	return all
}

// Verify finds every change of the files in a cache. It neither waits for a pipe nor
// follows a symlink.
func TestBrokenDirectoriesAreFound(t *testing.T) {
	if _, err := exec.LookPath("mkfifo"); err != nil {
		t.Skip("pipes are needed: ", err)
	}
	for _, kind := range victimKinds {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			breakEverything(t, buildVictim(t, kind))
		})
	}
}

func breakEverything(t *testing.T, original *victim) {
	elsewhere := original.copy(t).path
	all := original.breakages(elsewhere)
	for _, b := range all {
		v := original.copy(t)
		if err := b.do(v.path); err != nil {
			t.Fatalf("%s: %v", b.name, err)
		}
		if maps.Equal(trees.DescribeTree(t, v.path), trees.DescribeTree(t, elsewhere)) {
			continue // for example, on a file system that ignores case
		}
		found := v.examine(t, b.name)
		v.inspect(t, b.name, found)
		if found == (b.name == trees.Index+" is deleted") { // only the index is optional
			t.Errorf("%s: verify finds anything: %v", b.name, found)
		}
	}
	t.Logf("%d kinds of breakage", len(all))
}

// If a cache was damaged before, nothing is written, however much the answer selects.
func TestNothingIsWrittenOfLargeSelectionsThatAreDamaged(t *testing.T) {
	dir := t.TempDir()
	docs, path := filepath.Join(dir, "docs"), filepath.Join(dir, "cache")
	sources := map[string]string{}
	for i := range 12 {
		sources[fmt.Sprintf("%02d.md", i)] = strings.Repeat(fmt.Sprintf("word%d ", i), 1<<17)
	}
	trees.WriteTree(t, docs, sources)
	if _, err := pipeline.Build(nilContext, pipeline.Config{Sources: []pipeline.Mount{{Dir: docs}}, Cache: path, Selection: selection.Spec0}); err != nil {
		t.Fatal(err)
	}
	last := filepath.Join(path, "documents", document.VersionOf([]byte(sources["11.md"])).Stem()+".json")
	text, err := os.ReadFile(last)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(last, bytes.Replace(text, []byte("word11"), []byte("work11"), 1), 0o666); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := resolveAll(path, &out); err == nil || fault.CodeOf(err) != fault.CacheInvalid || out.Len() > 0 {
		t.Errorf("got %v and %d bytes", err, out.Len())
	}

	// Discardable output is written before the last document is checked. If output
	// cannot be written, the work ends earlier.
	c, err := answers.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	request := selection.Request{Budget: 1 << 60, Discardable: true}
	if err := c.Resolve(nilContext, request, &out); err == nil || fault.CodeOf(err) != fault.CacheInvalid || out.Len() == 0 {
		t.Errorf("discardable: got %v and %d bytes", err, out.Len())
	}
	if err := c.Resolve(nilContext, request, fullDisk{}); !errors.Is(err, errFull) || fault.CodeOf(err) != fault.IO {
		t.Errorf("a full disk: got %v", err)
	}
}

// A fullDisk refuses all writes.
type fullDisk struct{}

var errFull = errors.New("full")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

// A pipe is not a directory, and opening it must not wait for a writer.
func TestPipesInPlaceOfDirectoriesAreRefused(t *testing.T) {
	dir := t.TempDir()
	pipe, docs := filepath.Join(dir, "pipe"), filepath.Join(dir, "docs")
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Skip("pipes are needed: ", err)
	}
	trees.WriteTree(t, docs, smallSources)
	build := func(sources, path string) error {
		_, err := pipeline.Build(nilContext, pipeline.Config{Sources: []pipeline.Mount{{Dir: sources}}, Cache: path, Force: true})
		return err
	}
	for name, try := range map[string]struct {
		do   func() error
		want fault.Code
	}{
		"build of a pipe":   {func() error { return build(pipe, filepath.Join(dir, "cache")) }, fault.IO},
		"build at a pipe":   {func() error { return build(docs, pipe) }, fault.IO},
		"build in a pipe":   {func() error { return build(docs, filepath.Join(pipe, "cache")) }, fault.IO},
		"verify of a pipe":  {func() error { _, err := verify.Path(nilContext, pipe, 1); return err }, fault.CacheMissing},
		"inspect of a pipe": {func() error { _, err := verify.Path(nilContext, pipe, 1); return err }, fault.CacheMissing},
		"resolve of a pipe": {func() error { return resolveAll(pipe, io.Discard) }, fault.CacheMissing},
	} {
		if err := try.do(); err == nil || fault.CodeOf(err) != try.want {
			t.Errorf("%s: got %v, want %v", name, err, try.want)
		}
	}
}
