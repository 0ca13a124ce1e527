package convert

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/pages/markdown"
)

// A notebook is a file of Jupyter. Up to version 3, worksheets contain its cells. Cells are decoded
// one after another because millions of empty cells would take a gigabyte.
type notebook struct {
	Format     *int `json:"nbformat"`
	Cells      []json.RawMessage
	Worksheets []struct{ Cells []json.RawMessage }
	Metadata   struct {
		Title        string
		KernelSpec   struct{ Language string } `json:"kernelspec"`
		LanguageInfo struct{ Name string }     `json:"language_info"`
	}
}

type cell struct {
	Type     string    `json:"cell_type"`
	Source   multiline // Input in version 3
	Input    multiline
	Language string // in version 3
	Level    int    // of a heading, in version 3
	Outputs  []json.RawMessage
}

type output struct {
	Type  string `json:"output_type"`
	Text  multiline
	Data  map[string]json.RawMessage
	Name  string `json:"ename"`
	Value string `json:"evalue"`
}

// A multiline is a text, or a list of its lines with their ends.
type multiline string

func (m *multiline) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '[' {
		var lines []string
		if err := json.Unmarshal(data, &lines); err != nil {
			return err
		}
		*m = multiline(strings.Join(lines, ""))
		return nil
	}
	return json.Unmarshal(data, (*string)(m))
}

// convertNotebook converts a notebook of nbformat 3 or 4. It copies Markdown, and writes code and
// its output as fences. Images and attachments are left out.
func convertNotebook(ctx context.Context, content []byte) (Converted, error) {
	n, err := readNotebook(content)
	if err != nil {
		return Converted{}, fmt.Errorf("notebook: %w", err)
	}
	language := cleanLanguage(cmp.Or(n.Metadata.LanguageInfo.Name, n.Metadata.KernelSpec.Language))
	w := &markdownWriter{ctx: ctx}
	for i, data := range n.Cells {
		var c cell
		err := decodeJSON(data, &c)
		if err == nil {
			err = c.write(w, language)
		}
		if err != nil {
			return Converted{}, fmt.Errorf("notebook: cell %d: %w", i+1, err)
		}
		if w.ended() {
			return Converted{}, w.err
		}
	}
	if len(w.out) == 0 {
		return Converted{}, skip("the notebook contains no text")
	}
	if bytes.HasPrefix(w.out, []byte("---")) { // a rule, not front matter
		w.out = append([]byte("\n"), w.out...)
	}
	return w.converted(fold(n.Metadata.Title), map[string]string{"language": language})
}

func readNotebook(content []byte) (n notebook, err error) {
	if !utf8.Valid(content) {
		return n, errors.New("not valid UTF-8")
	}
	if err := decodeJSON(content, &n); err != nil {
		return n, err
	}
	switch {
	case n.Format == nil:
		return n, errors.New("the key nbformat is missing")
	case *n.Format != 3 && *n.Format != 4:
		return n, fmt.Errorf("nbformat %d is not supported; expected 3 or 4", *n.Format)
	case *n.Format == 4 && n.Cells == nil:
		return n, errors.New("the key cells is missing")
	}
	for _, sheet := range n.Worksheets {
		n.Cells = append(n.Cells, sheet.Cells...)
	}
	return n, nil
}

// decodeJSON decodes JSON. Its errors name the line or the field.
func decodeJSON(data []byte, into any) error {
	err := json.Unmarshal(data, into)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("line %d: %w", 1+bytes.Count(data[:syntax.Offset], []byte("\n")), err)
	}
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return errors.New(strings.TrimPrefix(strings.ToLower(kind.Field)+": unexpected "+kind.Value, ": "))
	}
	return err
}

// attachment is an image that is stored in its cell.
var attachment = lazy.Regexp(`!\[([^\]\n]*)\]\(attachment:[^)\n]*\)`)

func (c cell) write(w *markdownWriter, language string) error {
	source := strings.ReplaceAll(string(c.Source), "\r\n", "\n")
	switch c.Type {
	case "markdown":
		text := strings.Trim(attachment().ReplaceAllString(source, "$1"), "\n")
		if strings.TrimSpace(text) != "" {
			w.lines(closeFence(text)...)
		}
	case "heading":
		w.lines(strings.Repeat("#", max(1, min(c.Level, 6))) + " " + fold(source))
	case "code":
		code := cleanCode(cmp.Or(source, string(c.Input)))
		w.fence(strings.Trim(code, "\n"), cmp.Or(language, cleanLanguage(c.Language)))
		for _, data := range c.Outputs {
			var o output
			if err := decodeJSON(data, &o); err != nil {
				return fmt.Errorf("outputs: %w", err)
			}
			if err := o.write(w); err != nil {
				return fmt.Errorf("outputs: text/plain: %w", err)
			}
		}
	case "raw":
		w.fence(strings.Trim(cleanCode(source), "\n"), "")
	}
	return nil
}

// closeFence returns the lines of a text. If a fence is open at its end, it is closed, because
// otherwise the rest of the page would be code.
func closeFence(text string) []string {
	lines := strings.Split(text, "\n")
	var fence markdown.Fence
	for _, line := range lines {
		fence.Read([]byte(strings.TrimLeft(line, " ")))
	}
	if fence.IsOpen() {
		lines = append(lines, string(fence))
	}
	return lines
}

// maxOutput is the most bytes of an output. Logs of a training can be megabytes.
const maxOutput = 4 << 10

// escapes are the codes that color the output of a terminal.
var escapes = lazy.Regexp("\x1b\\[[0-9;]*[A-Za-z]")

func (o output) write(w *markdownWriter) error {
	text := string(o.Text)
	if o.Name != "" {
		text = o.Name + ": " + o.Value
	}
	if plain := o.Data["text/plain"]; plain != nil {
		var m multiline
		if err := json.Unmarshal(plain, &m); err != nil {
			return err
		}
		text = string(m)
	}
	text = strings.Trim(cleanCode(escapes().ReplaceAllString(text, "")), "\n")
	if strings.TrimSpace(text) != "" {
		w.fence(shorten(text), "text")
	}
	return nil
}

// shorten cuts a long output at the end of a line and adds how many lines are missing.
func shorten(text string) string {
	if len(text) <= maxOutput {
		return text
	}
	at := strings.LastIndexByte(text[:maxOutput], '\n')
	if at < 0 {
		at = cutLength(text, maxOutput)
	}
	rest := strings.Count(strings.Trim(text[at:], "\n"), "\n") + 1
	return fmt.Sprintf("%s\n... (%d more lines)", text[:at], rest)
}
