package dotcontext

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/yaml12"
	"github.com/contextcompiler/context/internal/contexts/contextfile"
)

// unlisted returns a problem for each file of d missing in the list of its
// context, if init would list it. Other files don't say what they are for. A
// context without a list claims nothing about files.
func (p *Project) unlisted(s *scan, d *projectDir, described *contextfile.Context) (problems []yaml12.Problem, err error) {
	listed, line := map[string]bool{}, 0
	for _, claim := range described.Claims() {
		if claim.Kind == "files.name" || claim.Kind == "files.test_file" {
			listed[path.Clean(claim.Text)] = true
			line = cmp.Or(line, claim.Line)
		}
	}
	if len(listed) == 0 {
		return nil, nil
	}
	derived, err := p.derive(s, d)
	if err != nil {
		return nil, err
	}
	fix := "add it"
	if slices.Contains(described.DerivedFields, "files") {
		fix = "let init add it"
	}
	for _, f := range derived.Files {
		if !listed[f.Name] && !listed[path.Join(d.scope, f.Name)] {
			problems = append(problems, yaml12.Problem{Line: line, Field: "files", Message: fmt.Sprintf("%q is not listed", f.Name), Fix: fix})
		}
	}
	return problems, nil
}

// maxSearched bounds the bytes of a file searched for interfaces.
const maxSearched = 4 << 20

// unmentioned returns a problem for each interface in a context that no file of its
// directory, or below it, mentions.
func (p *Project) unmentioned(s *scan, d *projectDir, described *contextfile.Context) (problems []yaml12.Problem, err error) {
	claims := slices.DeleteFunc(described.Claims(), func(c contextfile.Claim) bool {
		return c.Kind != "interfaces.name" || len(wordsOf(c.Text)) == 0
	})
	for _, below := range s.directories {
		if below != d && d.scope != "." && !strings.HasPrefix(below.scope, d.scope+"/") {
			continue
		}
		for _, f := range below.unignored() {
			if len(claims) == 0 {
				return nil, nil
			}
			text, readErr := p.lowered(path.Join(below.scope, f.name))
			err = cmp.Or(err, readErr)
			claims = slices.DeleteFunc(claims, func(c contextfile.Claim) bool {
				return slices.ContainsFunc(wordsOf(c.Text), func(word string) bool { return hasWord(text, word) })
			})
		}
	}
	if err != nil {
		return nil, err // the file might mention them
	}
	for _, c := range claims {
		message := fmt.Sprintf("no file here or below mentions %q", c.Text)
		problems = append(problems, yaml12.Problem{Line: c.Line, Field: c.Field, Message: message, Fix: "correct the name or remove the entry"})
	}
	return problems, nil
}

// lowered returns the beginning of a file in lower case, or "" if it is gone.
func (p *Project) lowered(at string) (string, error) {
	f, _, err := files.Open(p.root, at)
	if err == nil {
		defer f.Close()
		var text []byte
		if text, err = io.ReadAll(io.LimitReader(f, maxSearched)); err == nil {
			return strings.ToLower(string(text)), nil
		}
	}
	if isRefusal(err) {
		return "", asUnread(at, err)
	}
	return "", nil
}

// keywords say what an interface is instead of naming it, for example in "function
// pool()" or "GET /pools".
var keywords = setOf(`abstract async class const def enum export fn func function interface method module namespace
	private protected pub public static struct trait type var
	delete get head options patch post put`)

// wordsOf returns identifiers in lower case. A file that contains the interface
// must contain at least one of them: for "db.open(path)", it is open; for "GET
// /pools", it is pools.
func wordsOf(name string) (words []string) {
	head, _, _ := strings.Cut(strings.ToLower(name), ": ")
	if end := strings.IndexAny(head, "([<{="); end >= 0 {
		head = head[:end]
	}
	for part := range strings.FieldsSeq(head) {
		identifiers := strings.FieldsFunc(part, func(r rune) bool { return !isOfWord(r) })
		if len(identifiers) > 0 && !keywords[part] {
			words = append(words, identifiers[len(identifiers)-1])
		}
	}
	return words
}

func isOfWord(r rune) bool { return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// hasWord reports whether text contains word as a word of its own, instead of only
// as part of longer words.
func hasWord(text, word string) bool {
	for before, after, found := strings.Cut(text, word); found; before, after, found = strings.Cut(after, word) {
		last, _ := utf8.DecodeLastRuneInString(before)
		next, _ := utf8.DecodeRuneInString(after)
		if !isOfWord(last) && !isOfWord(next) {
			return true
		}
	}
	return false
}

// leadsNowhere reports whether the project does not contain an internal dependency.
// The dependency may be a path below the root, the directory or its parent. Its
// extension may differ or be missing, and a remark may follow. Other names, such as
// packages, only need to end with the name of a file or directory.
func (p *Project) leadsNowhere(s *scan, d *projectDir, dependency string) bool {
	whole := strings.Trim(strings.ReplaceAll(dependency, `\`, "/"), "`'\" ")
	first, _, _ := strings.Cut(whole, " ")
	first = strings.TrimRight(first, ":,;")
	for _, name := range []string{whole, first} {
		for _, base := range []string{d.scope, ".", path.Dir(d.scope)} {
			if p.isThere(s, path.Join(base, name)) {
				return false
			}
		}
	}
	top, _, isPath := strings.Cut(first, "/")
	if isPath && (top == "." || top == ".." || p.exists(top) || p.exists(path.Join(d.scope, top))) {
		return true
	}
	parts := strings.FieldsFunc(first, func(r rune) bool { return strings.ContainsRune("/.:@#", r) })
	if len(parts) == 0 {
		return false
	}
	last := plainName(parts[len(parts)-1])
	return !slices.ContainsFunc(s.directories, func(d *projectDir) bool {
		return plainName(path.Base(d.scope)) == last ||
			slices.ContainsFunc(d.files, func(f fileState) bool { return plainName(stemOf(f.name)) == last })
	})
}

// isThere reports whether the project has a file or directory at a path, or a file
// with another extension.
func (p *Project) isThere(s *scan, at string) bool {
	if p.exists(at) {
		return true
	}
	i, found := slices.BinarySearchFunc(s.directories, path.Dir(at), func(d *projectDir, scope string) int { return compareUTF16(d.scope, scope) })
	return found && slices.ContainsFunc(s.directories[i].files, func(f fileState) bool {
		return stemOf(f.name) == stemOf(path.Base(at)) || stemOf(f.name) == path.Base(at)
	})
}

func (p *Project) exists(at string) bool {
	if !fs.ValidPath(path.Clean(at)) {
		return false
	}
	_, err := p.root.Lstat(path.Clean(at))
	return err == nil || isRefusal(err)
}

func stemOf(name string) string { return strings.TrimSuffix(name, path.Ext(name)) }

// plainName returns a name as languages with other habits write it.
func plainName(name string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name))
}
