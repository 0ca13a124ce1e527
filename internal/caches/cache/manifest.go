package cache

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"iter"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/wire"
)

// The build configuration of format v0. The version of a cache covers it, so other
// values mean another format.
const (
	FormatVersion = "1"
	hashAlgorithm = "sha256"
)

type buildConfig struct {
	Version       string `json:"version"`
	HashAlgorithm string `json:"hash_algorithm"`
}

// Epoch is the created_at of a build without a time.
const Epoch = "1970-01-01T00:00:00Z"

// A Manifest lists the documents of a cache and their files.
type Manifest struct {
	Version       document.Version // covers the ID and version of every document
	CreatedAt     string           // RFC 3339
	DocumentCount int64            // as the manifest states it
	Documents     []Entry          // sorted by ID
	Selection     int              // supported by the cache: 0 or 1
	About         document.About
	Converters    string // that made documents of other formats, such as "html/1, openapi/1"; or ""
}

// An Entry is the line of a document in a manifest.
type Entry struct {
	ID      document.ID      `json:"id"`
	Version document.Version `json:"version"`
	File    string           `json:"file"` // slash path of its file in the cache, such as documents/0123456789ab.json
}

// newEntry returns the entry of a document. name is that of its file in the documents
// directory.
func newEntry(id document.ID, version document.Version, name string) Entry {
	return Entry{id, version, DocumentsDir + "/" + name}
}

// name returns the name of the document's file in the documents directory. It is not ok
// if File is another path, or if the name does not match the version. Because an ok name
// is plain, it cannot lead out of that directory.
func (e Entry) name() (name string, ok bool) {
	name, ok = strings.CutPrefix(e.File, DocumentsDir+"/")
	return name, ok && isNameOf(name, e.Version)
}

// A versionSum computes the version of a cache, one document after another. It is the SHA-256 of
// the build configuration and of each "id:version", with nothing between them.
type versionSum struct {
	hash hash.Hash
	line []byte
}

func newVersionSum() *versionSum {
	s := &versionSum{hash: sha256.New()}
	s.hash.Write(wire.Marshal(buildConfig{FormatVersion, hashAlgorithm}))
	return s
}

func (s *versionSum) add(id document.ID, version document.Version) {
	s.line = append(append(s.line[:0], id...), ':')
	s.line = version.AppendText(s.line)
	s.hash.Write(s.line)
}

func (s *versionSum) version() document.Version { return document.Version(s.hash.Sum(nil)) }

// A manifestFile represents the contents of manifest.json.
type manifestFile struct {
	CacheVersion  document.Version `json:"cache_version"`
	BuildConfig   buildConfig      `json:"build_config"`
	CreatedAt     string           `json:"created_at"`
	DocumentCount int64            `json:"document_count"`
	Documents     wire.Encodable   `json:"documents"`
	optionalFields
}

// entries yields the entries of a manifest in order. It writes them as an array.
type entries iter.Seq[Entry]

// Encode implements [wire.Encodable].
func (all entries) Encode(e *wire.Encoder) {
	e.BeginArray()
	for entry := range all {
		e.Value(entry)
	}
	e.EndArray()
}

// optionalFields are the fields at the end of manifest.json. Any of them may be missing.
type optionalFields struct {
	Selection *selectionSpec `json:"selection,omitzero"` // nil for selection 0
	aboutFields
}

type aboutFields struct {
	Description    string `json:"description,omitzero"`
	BaseURL        string `json:"base_url,omitzero"`
	Product        string `json:"product,omitzero"`
	ProductVersion string `json:"product_version,omitzero"`
	Converters     string `json:"converters,omitzero"`
}

// newAboutFields returns the fields for what a cache is about and how it was made.
func newAboutFields(about document.About, converters string) aboutFields {
	return aboutFields{about.Description, about.BaseURL, about.Product.Name, about.Product.Version, converters}
}

func (f aboutFields) about() document.About {
	product := document.Product{Name: f.Product, Version: f.ProductVersion}
	if product.Name == "" {
		product.Version = ""
	}
	return document.About{Description: f.Description, BaseURL: f.BaseURL, Product: product}
}

type selectionSpec struct {
	Spec string `json:"spec"`
}

// encodeWith writes manifest.json with the entries of all instead of m.Documents.
func (m Manifest) encodeWith(all iter.Seq[Entry], e *wire.Encoder) {
	config := buildConfig{FormatVersion, hashAlgorithm}
	optional := optionalFieldsOf(m.Selection, newAboutFields(m.About, m.Converters))
	e.Value(manifestFile{m.Version, config, m.CreatedAt, m.DocumentCount, entries(all), optional})
}

func optionalFieldsOf(selection int, about aboutFields) optionalFields {
	fields := optionalFields{aboutFields: about}
	if selection > 0 {
		fields.Selection = &selectionSpec{strconv.Itoa(selection)}
	}
	return fields
}

// manifestEnd returns how the manifests for a selection end, starting where the list of
// documents ends.
func manifestEnd(selection int, about aboutFields) string {
	fields := string(wire.MarshalIndent(optionalFieldsOf(selection, about)))
	if fields == "{}" {
		return "]\n}"
	}
	return "]," + strings.TrimPrefix(fields, "{")
}

// encodeAbout returns the bytes of about in the index, or nil if it is empty.
func encodeAbout(about aboutFields) []byte {
	if about == (aboutFields{}) {
		return nil
	}
	return wire.Marshal(about)
}

// decodeAbout decodes the result of encodeAbout, and refuses any other bytes.
func decodeAbout(data []byte) (about aboutFields, err error) {
	if len(data) == 0 {
		return about, nil
	}
	d := wire.NewDecoder(data)
	err = d.Object(func(key string) error { return decodeAboutField(d, key, &about) })
	if err == nil && !bytes.Equal(encodeAbout(about), data) {
		err = errors.New("it differs from what a build writes")
	}
	return about, err
}

// decodeAboutField decodes a field of about, or skips any other field.
func decodeAboutField(d *wire.Decoder, key string, about *aboutFields) (err error) {
	switch key {
	case "description":
		about.Description, err = decodeOptional(d, document.ParseDescription)
	case "base_url":
		about.BaseURL, err = decodeOptional(d, document.ParseBaseURL)
	case "product":
		about.Product, err = decodeOptional(d, func(text string) (string, error) {
			return validProduct(text, document.Product{Name: text})
		})
	case "product_version":
		about.ProductVersion, err = decodeOptional(d, func(text string) (string, error) {
			return validProduct(text, document.Product{Name: "any", Version: text})
		})
	case "converters":
		about.Converters, err = decodeConverters(d)
	default:
		err = d.Skip()
	}
	return err
}

// validProduct returns a part of a product, or "" if the product is invalid.
func validProduct(part string, p document.Product) (string, error) {
	if err := p.Check(); err != nil {
		return "", err
	}
	return part, nil
}

// decodeConverters decodes what convertersOf returns. Unlike the fields for people, it fails
// for anything else, because readers go by it to tell how a cache was made.
func decodeConverters(d *wire.Decoder) (string, error) {
	text, err := d.String()
	if err != nil {
		return "", err
	}
	all := strings.Split(text, ", ")
	for i, name := range all {
		switch {
		case !isConverter(name):
			return "", fmt.Errorf("expected a name and a version such as html/1, got %q", name)
		case i > 0 && name <= all[i-1]:
			return "", fmt.Errorf("%q does not come after %q", name, all[i-1])
		}
	}
	return text, nil
}

// isConverter reports whether a text is a name in lower case, a slash and a positive number.
func isConverter(text string) bool {
	name, version, found := strings.Cut(text, "/")
	n, err := strconv.Atoi(version)
	return found && name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") == "" &&
		err == nil && n > 0 && strconv.Itoa(n) == version
}

// convertersOf returns the converters of items and others, sorted, without duplicates and joined
// with ", ". A list at the end of the manifest would look like the end of the documents, by which
// an index recognizes its manifest.
func convertersOf(items []NewDocument, others []string) string {
	found := map[string]bool{}
	for _, name := range others {
		found[name] = true
	}
	for _, item := range items {
		if name := item.Notes().Converter; name != "" {
			found[name] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(found)), ", ")
}

// decodeOptional decodes a string. If parse refuses the value, decodeOptional returns ""
// instead of failing, because other programs may use the same field for something else.
func decodeOptional(d *wire.Decoder, parse func(text string) (string, error)) (string, error) {
	if !d.NextIsString() {
		return "", d.Skip()
	}
	text, err := d.String()
	if err != nil {
		return "", err
	}
	value, _ := parse(text)
	return value, nil
}

// encodeFileList writes index.json.
func encodeFileList(all iter.Seq[Entry], e *wire.Encoder) {
	e.BeginObject()
	for entry := range all {
		encodeText(e, string(entry.ID), entry.File)
	}
	e.EndObject()
}

func encodeText(e *wire.Encoder, key, text string) {
	e.Key(key)
	e.String(text)
}

// decodeManifest decodes the bytes of manifest.json. It fails with [fault.CacheInvalid]
// if a field is missing or cannot be decoded. [Manifest.Check] tells whether the fields
// agree with each other.
func decodeManifest(data []byte) (Manifest, error) {
	var m Manifest
	var about aboutFields
	d := wire.NewDecoder(data)
	err := decodeObject(d, func(key string) (err error) {
		switch key {
		case "cache_version":
			m.Version, err = decodeVersion(d)
		case "build_config":
			err = decodeBuildConfig(d)
		case "created_at":
			m.CreatedAt, err = decodeTime(d)
		case "document_count":
			m.DocumentCount, err = decodeCount(d)
		case "documents":
			m.Documents, err = decodeEntries(d)
		case "selection":
			m.Selection, err = decodeSelection(d)
		default:
			err = decodeAboutField(d, key, &about)
		}
		return err
	}, "cache_version", "build_config", "created_at", "document_count", "documents")
	if err = cmp.Or(err, d.End()); err != nil {
		return Manifest{}, fault.Errorf(fault.CacheInvalid, "%s: %w", ManifestPath, err)
	}
	m.About, m.Converters = about.about(), about.Converters
	return m, nil
}

// decodeSelection fails if this program does not know the selection, because otherwise
// it would select wrongly.
func decodeSelection(d *wire.Decoder) (int, error) {
	return 1, decodeObject(d, func(key string) error {
		if key == "spec" {
			return decodeConstant(d, "1")
		}
		return d.Skip()
	}, "spec")
}

func decodeBuildConfig(d *wire.Decoder) error {
	return decodeObject(d, func(key string) error {
		switch key {
		case "version":
			return decodeConstant(d, FormatVersion)
		case "hash_algorithm":
			return decodeConstant(d, hashAlgorithm)
		}
		return d.Skip()
	}, "version", "hash_algorithm")
}

func decodeEntries(d *wire.Decoder) ([]Entry, error) {
	var entries []Entry
	err := d.Array(func() error {
		entry, err := decodeEntry(d)
		entries = append(entries, entry)
		return err
	})
	return entries, err
}

func decodeEntry(d *wire.Decoder) (entry Entry, err error) {
	err = decodeObject(d, func(key string) (err error) {
		switch key {
		case "id":
			var id string
			id, err = d.String()
			entry.ID = document.ID(id)
		case "version":
			entry.Version, err = decodeVersion(d)
		case "file":
			entry.File, err = d.String()
		default:
			err = d.Skip()
		}
		return err
	}, "id", "version", "file")
	return entry, err
}

func decodeVersion(d *wire.Decoder) (document.Version, error) {
	text, err := d.String()
	if err != nil {
		return document.Version{}, err
	}
	return document.ParseVersion(text)
}

func decodeCount(d *wire.Decoder) (int64, error) {
	n, err := d.Int()
	if err == nil && n < 0 {
		err = fmt.Errorf("%d is below 0", n)
	}
	return n, err
}

// decodeTime decodes an RFC 3339 time. Some programs write a space instead of the T,
// which the RFC allows.
func decodeTime(d *wire.Decoder) (string, error) {
	text, err := d.String()
	if err != nil {
		return "", err
	}
	if _, err := time.Parse(time.RFC3339, strings.Replace(text, " ", "T", 1)); err != nil {
		return "", fmt.Errorf("%q is not an RFC 3339 time", text)
	}
	return text, nil
}

func decodeConstant(d *wire.Decoder, want string) error {
	got, err := d.String()
	if err == nil && got != want {
		err = fmt.Errorf("expected %q, got %q", want, got)
	}
	return err
}

// Check returns the findings about the manifest alone. It checks the count, the order,
// the names and the version.
func (m Manifest) Check() []Finding { return m.check(slices.Values(m.Documents)) }

// check is Check with the entries of all instead of m.Documents.
func (m Manifest) check(all iter.Seq[Entry]) []Finding {
	var findings []Finding
	report := func(code, format string, args ...any) {
		findings = append(findings, Finding{code, ManifestPath, fmt.Sprintf(format, args...)})
	}
	sum, last, n := newVersionSum(), document.ID(""), int64(0)
	for e := range all {
		if n > 0 && e.ID <= last {
			report(OrderInvalid, "%q does not come after %q", e.ID, last)
		}
		if !e.ID.IsValid() {
			report(IDInvalid, "%q cannot be the ID of a path", e.ID)
		}
		if finding := e.checkFile(); finding != nil {
			findings = append(findings, *finding)
		}
		sum.add(e.ID, e.Version)
		last = e.ID
		n++
	}
	if n != m.DocumentCount {
		message := fmt.Sprintf("document_count is %d, but the manifest lists %d documents", m.DocumentCount, n)
		findings = slices.Insert(findings, 0, Finding{CountMismatch, ManifestPath, message})
	}
	if version := sum.version(); version != m.Version {
		report(VersionMismatch, "cache_version is %s, but the documents give %s", m.Version, version)
	}
	return findings
}

// checkFile returns a finding about the path of the document's file, or nil.
func (e Entry) checkFile() *Finding {
	if _, ok := e.name(); ok {
		return nil
	}
	return &Finding{NameInvalid, ManifestPath, fmt.Sprintf("%q cannot be the path of the file of %s: expected %s/ and a name that begins with %s",
		e.File, e.ID, DocumentsDir, e.Version.Stem())}
}

func isNameOf(name string, version document.Version) bool {
	const maxName = 255 // bytes, on the usual file systems
	return len(name) <= maxName && strings.HasPrefix(name, version.Stem()) && !strings.ContainsFunc(name, isReserved)
}

// isReserved reports whether file names on this system cannot contain r.
func isReserved(r rune) bool {
	if runtime.GOOS == "windows" && (r < ' ' || strings.ContainsRune(`<>:"|?*`, r)) {
		return true
	}
	return r == 0 || r == '/' || r == '\\'
}

// decodeObject decodes an object and calls value for each field. It fails if a required
// field is missing.
func decodeObject(d *wire.Decoder, value func(field string) error, required ...string) error {
	err := d.Object(func(field string) error {
		if i := slices.Index(required, field); i >= 0 {
			required = slices.Delete(required, i, i+1)
		}
		if err := value(field); err != nil {
			return fmt.Errorf("%s: %w", field, err)
		}
		return nil
	})
	if err == nil && len(required) > 0 {
		err = fmt.Errorf("%s is missing", required[0])
	}
	return err
}
