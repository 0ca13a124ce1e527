package targets

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/acquire/fetch"
	"github.com/contextcompiler/context/internal/acquire/registry"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/base/yaml12"
)

// An Addition is a target to add to a Contextfile.
type Addition struct {
	Name   string
	Fields []KeyValue // of its only source, or of the target if it takes a cache

	kind sourceKind
}

// A KeyValue is a key of a source with its value in YAML.
type KeyValue struct{ Key, Value string }

// Set adds a key to the source, if it goes with its kind.
func (a *Addition) Set(key, value string) (isPossible bool) {
	a.Fields = append(a.Fields, KeyValue{key, quoted(value)})
	return slices.Contains(a.kind.keys, key)
}

// ParseAddition reads what to add, such as the reference of a cache, npm:NAME or git:URL. It
// derives the name of the target unless name is given.
func ParseAddition(text, name string) (a Addition, err error) {
	a, err = parseAddition(text)
	if err != nil {
		return a, err
	}
	a.Name = strings.Trim(notOfName().ReplaceAllString(a.Name, "-"), "-.")
	if name != "" {
		a.Name = name
	}
	if !answers.IsName(a.Name) {
		return a, fmt.Errorf("%w, got %q", ErrNoName, a.Name)
	}
	return a, nil
}

func parseAddition(text string) (Addition, error) {
	var forms []string
	for _, k := range kinds() {
		for _, form := range k.forms {
			if scheme, _, _ := strings.Cut(form, ":"); strings.HasPrefix(text, scheme+":") {
				a, err := k.add(text)
				a.kind = k
				return a, err
			}
		}
		forms = append(forms, k.forms...)
	}
	if address, ok := errors.AsType[*fetch.AddressError](fetch.Origin{Git: text}.Check()); ok {
		return Addition{}, address
	}
	last := len(forms) - 1
	return Addition{}, fmt.Errorf("expected %s or %s, got %q%s", strings.Join(forms[:last], ", "), forms[last], text, adviceOn(text))
}

// adviceOn suggests what a user may have meant by a text that isn't an addition.
func adviceOn(text string) string {
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "/") {
		return ": list directories of this project under sources in the file instead"
	}
	isAddition := func(text string) bool {
		_, err := parseAddition(text)
		return err == nil
	}
	guesses := []string{"npm:" + text, "python:" + text, "go:" + text}
	host, _, _ := strings.Cut(text, "/")
	scheme, rest, _ := strings.Cut(text, ":")
	other := map[string]string{"pypi": "python:", "pip": "python:", "py": "python:", "node": "npm:", "yarn": "npm:", "gomod": "go:"}[scheme]
	switch {
	case other != "":
		guesses = []string{other + rest}
	case isAddition("archive:" + text):
		guesses = []string{"archive:" + text}
	case strings.Contains(text, "://") || strings.HasPrefix(text, "git@"):
		guesses = []string{"git:" + text}
	case slices.Contains([]string{"github.com", "gitlab.com", "codeberg.org", "bitbucket.org"}, host):
		guesses = append([]string{"git:https://" + text}, guesses...)
	case strings.HasPrefix(registry.Meant(text), "oci://"):
		guesses = []string{registry.Meant(text)}
	}
	guesses = slices.DeleteFunc(guesses, func(guess string) bool { return !isAddition(guess) })
	if len(guesses) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(guesses, " or ") + "?"
}

var notOfName = lazy.Regexp(`[^A-Za-z0-9._-]+`)

// Add returns the text of a Contextfile with another target at the end of its caches, and
// everything else as it was. An empty text becomes a new file. It fails with [fault.ContextInvalid]
// if the text, or the result, contains an error, with [ErrNameTaken], and with [ErrCannotAdd] if
// the caches are in flow style.
func Add(filePath string, text []byte, a Addition, environment Environment) ([]byte, *Contextfile, error) {
	added, err := insertTarget(filePath, text, a)
	if err != nil {
		return nil, nil, err
	}
	f, err := parse(filePath, added, environment)
	if err != nil {
		return nil, nil, fault.Errorf(fault.ContextInvalid, "%s would be invalid with %s at the end of its caches: %w: correct that, or add the target by hand", filePath, a.Name, err)
	}
	return added, f, nil
}

// ErrNoName means that the name of an addition is missing or not allowed.
var ErrNoName = errors.New(`expected a target name of letters, digits, "-", "_" and "."`)

// ErrNameTaken means that a Contextfile already declares a target of the same name.
var ErrNameTaken = errors.New("already declares a target of this name")

// ErrCannotAdd means that only a person can insert a target into a Contextfile.
var ErrCannotAdd = errors.New("its caches are not a mapping in block style: add the target by hand")

func insertTarget(filePath string, text []byte, a Addition) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("version: 1\ncaches:\n")
		return append(text, a.lines("  ")...), nil
	}
	f, err := parse(filePath, text, Environment{})
	if err != nil {
		return nil, fault.Errorf(fault.ContextInvalid, "%w", err)
	}
	if slices.ContainsFunc(f.Targets, func(t Target) bool { return t.Name == a.Name }) {
		return nil, fmt.Errorf("%s %w: %s", filePath, ErrNameTaken, a.Name)
	}
	root, err := yaml12.Parse(string(text))
	if err != nil {
		return nil, fault.Errorf(fault.ContextInvalid, "%w", err)
	}
	caches, end := cachesOf(root, text)
	if caches == nil {
		return nil, fault.Errorf(fault.ContextInvalid, "%s: %w", filePath, ErrCannotAdd)
	}
	indent := strings.Repeat(" ", caches.Content[0].Column-1)
	lines := a.lines(indent)
	if !bytes.HasSuffix(text[:end], []byte("\n")) {
		lines = append([]byte("\n"), lines...)
	}
	if bytes.Contains(text, []byte("\r\n")) { // from an editor on Windows
		lines = bytes.ReplaceAll(lines, []byte("\n"), []byte("\r\n"))
	}
	return slices.Concat(text[:end], lines, text[end:]), nil
}

// cachesOf returns the mapping of targets, and where its last line ends. It returns nil unless the
// mapping is in block style.
func cachesOf(root *yaml.Node, text []byte) (caches *yaml.Node, end int) {
	next := 0 // line of the key after caches
	for i := 0; i+1 < len(root.Content); i += 2 {
		switch {
		case root.Content[i].Value == "caches":
			caches = root.Content[i+1]
		case caches != nil && next == 0:
			next = root.Content[i].Line
		}
	}
	if caches == nil || root.Style&yaml.FlowStyle != 0 || caches.Kind != yaml.MappingNode || caches.Style&yaml.FlowStyle != 0 || caches.Anchor != "" {
		return nil, 0
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	if next > 0 {
		lines = lines[:next-1]
	}
	for last := len(lines) - 1; last >= 0; last-- { // comments at the margin belong to what follows
		line := bytes.TrimSpace(lines[last])
		if len(line) > 0 && (line[0] != '#' || lines[last][0] != '#') && !bytes.Equal(line, []byte("...")) {
			break
		}
		lines = lines[:last]
	}
	return caches, len(bytes.Join(lines, nil))
}

// lines returns the lines of the target.
func (a Addition) lines(indent string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s%s:\n", indent, scalar(a.Name))
	lead, next := indent+indent, indent+indent
	if a.kind.read != nil {
		fmt.Fprintf(&b, "%ssources:\n", lead)
		lead, next = lead+"  - ", lead+"    "
	}
	printFields(&b, lead, next, a.Fields)
	return b.Bytes()
}

// printFields prints the fields with a value, after lead, and the others after next.
func printFields(b *bytes.Buffer, lead, next string, fields []KeyValue) {
	for _, f := range fields {
		if f.Value != "" {
			fmt.Fprintf(b, "%s%s: %s\n", lead, f.Key, f.Value)
			lead = next
		}
	}
}
