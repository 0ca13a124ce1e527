package main

import (
	"bytes"
	"embed"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

//go:embed all:templates
var templates embed.FS

// writeTo writes all packages below out.
func (r release) writeTo(out string) (err error) {
	if r.Bundle, err = r.bundle(); err != nil {
		return err
	}
	if err := write(filepath.Join(out, r.Bundle.Name), r.Bundle.content, 0o644); err != nil {
		return err
	}
	for _, dir := range []string{"homebrew", "scoop", "winget", "aur", "registry", "npm/context"} {
		if err := render(dir, filepath.Join(out, dir), r); err != nil {
			return err
		}
	}
	if err := write(filepath.Join(out, "npm/context/LICENSE"), r.Archives["linux_amd64"].holds["LICENSE"], 0o644); err != nil {
		return err
	}
	for _, p := range r.Platforms() {
		if err := p.writePackage(out); err != nil {
			return err
		}
	}
	return nil
}

// render writes the templates below dir, with data, below out.
func render(dir, out string, data any) error {
	below, err := fs.Sub(templates, "templates/"+dir)
	if err != nil {
		return err
	}
	return fs.WalkDir(below, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := execute(dir+"/"+path, data)
		if err != nil {
			return err
		}
		return write(filepath.Join(out, path), content, 0o644)
	})
}

// execute returns the text of a template with data.
func execute(path string, data any) ([]byte, error) {
	text, err := templates.ReadFile("templates/" + path)
	if err != nil {
		return nil, err
	}
	t, err := template.New(path).Option("missingkey=error").Funcs(template.FuncMap{"replace": strings.ReplaceAll, "upper": strings.ToUpper}).Parse(string(text))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, data); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// write writes a file with the mode, regardless of the umask, and creates the
// directories above it.
func write(path string, content []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(path, content, mode); err != nil {
		return err
	}
	return os.Chmod(path, mode)
}
