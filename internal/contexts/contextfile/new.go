package contextfile

import (
	"fmt"
	"strings"

	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/base/yaml12"
)

// maintenance is the text of that field in a new file.
const maintenance = "Run context init to refresh the fields named in derived_fields, and edit the others by hand."

// New returns the text of a new file. Parse returns the same values, except that
// invalid UTF-8 is replaced, unless the text is longer than MaxSize. The file's
// derived_fields also names fields that may be derived later.
func New(scope, fingerprint, lastUpdated string, d Derived) []byte {
	lines := []string{
		"version: 1",
		"last_updated: " + quoteDouble(lastUpdated),
		"fingerprint: " + quoteDouble(fingerprint),
	}
	fields := d.fields()
	fields["scope"], fields["maintenance"] = newText(scope), newText(maintenance)
	fields["derived_fields"] = newList("derived_fields", d.derivable(), func(name string) []string { return []string{name} })
	for _, f := range newContext(fields).choose(schema.names()) {
		lines = append(lines, f.lines()...)
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}

// lines returns a field in block style, or nil for Null.
func (f yamlField) lines() []string {
	switch f.kind {
	case yaml12.Text:
		return []string{f.name + ": " + f.yamlValue.lines()[0]}
	case yaml12.List, yaml12.Map:
		return append([]string{f.name + ":"}, indented("  ", "  ", f.yamlValue.lines())...)
	}
	return nil
}

func (v yamlValue) lines() (lines []string) {
	if v.kind == yaml12.Text {
		if isProse(v.text) {
			return []string{v.text}
		}
		return []string{quoteDouble(v.text)}
	}
	for _, element := range v.elements {
		lines = append(lines, indented("- ", "  ", element.lines())...)
	}
	for _, m := range v.members {
		lines = append(lines, m.lines()...)
	}
	return lines
}

func indented(first, rest string, lines []string) []string {
	for i := range lines {
		lines[i], first = first+lines[i], rest
	}
	return lines
}

var (
	// prose can be read without quotes. It is text to every YAML reader unless it
	// is a word of yaml11.
	prose = lazy.Regexp(`^[A-Za-z][A-Za-z0-9_./()+' ,;-]*$`)

	// yaml11 are words that are not text in YAML 1.1.
	yaml11 = lazy.Regexp(`^(?i:y|yes|n|no|on|off|true|false|null)$`)

	// plain can replace other text without quotes.
	plain = lazy.Regexp(`^[A-Za-z0-9][A-Za-z0-9_.+:-]*$`)
)

func isProse(s string) bool {
	return prose().MatchString(s) && !yaml11().MatchString(s) && !strings.HasSuffix(s, " ")
}

// isPlain reports whether s without quotes is text in YAML 1.2.
func isPlain(s string) bool {
	return plain().MatchString(s) && !strings.HasSuffix(s, ":") && yaml12.PlainKind(s) == yaml12.Text
}

var escaped = strings.NewReplacer(`"`, `\"`, `\`, `\\`, "\x00", `\0`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

func quoteDouble(s string) string {
	var b strings.Builder
	for _, r := range escaped.Replace(toText(s)) {
		if needsMask(r) {
			fmt.Fprintf(&b, `\u%04X`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}

// quoteSingle writes s between single quotes, or between double quotes if it
// contains runes that must be escaped.
func quoteSingle(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return needsMask(r) || r < ' ' }) {
		return quoteDouble(s)
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}
