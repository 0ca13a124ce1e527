// Picture writes docs/terminal.svg: a terminal in which the commands of session ask
// this repository's own documentation. It must run them, because it shows what they
// print.
//
// It must run in the directory of module tools.
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// session contains the commands, as a person would type them next to docs.
var session = []string{
	"context build --sources docs --cache build/context",
	`context search --cache build/context "Which clients cut long answers?"`,
	`context ask --cache build/context --budget 200 "Which clients cut long answers?"`,
	"context build --sources docs --cache build/context --check",
}

// columns is the width of the terminal, in characters.
const columns = 110

func main() {
	picture, err := picture("..")
	if err == nil {
		err = os.WriteFile("../docs/terminal.svg", picture, 0o666)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// picture returns the picture of the session with the programs and docs of the
// clone at root.
func picture(root string) ([]byte, error) {
	steps, err := play(root, session)
	if err != nil {
		return nil, err
	}
	return draw(lines(steps)), nil
}

// A step is a command and what it printed.
type step struct{ command, output string }

// play compiles context and runs the commands next to a copy of the docs. It stops
// at the first command that fails.
func play(root string, commands []string) ([]step, error) {
	dir, err := os.MkdirTemp("", "picture-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	build := exec.Command("go", "build", "-buildvcs=false", "-o", dir, "./cmd/context")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build context: %w\n%s", err, out)
	}
	if err := os.CopyFS(filepath.Join(dir, "docs"), os.DirFS(filepath.Join(root, "docs"))); err != nil {
		return nil, err
	}
	var steps []step
	for _, command := range commands {
		run := exec.Command("sh", "-c", command)
		run.Dir = dir
		run.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
		out, err := run.CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", command, err, out)
		}
		steps = append(steps, step{command, string(out)})
	}
	return steps, nil
}

// A line of the terminal contains at most columns characters.
type line struct {
	text      string
	isCommand bool
}

// lines returns the lines of a terminal that shows steps.
func lines(steps []step) (shown []line) {
	for i, s := range steps {
		if i > 0 {
			shown = append(shown, line{})
		}
		for _, text := range fold("$ " + s.command) {
			shown = append(shown, line{text, true})
		}
		for printed := range strings.Lines(s.output) {
			for _, text := range fold(strings.TrimSuffix(printed, "\n")) {
				shown = append(shown, line{text, false})
			}
		}
	}
	return shown
}

func fold(text string) (folded []string) {
	rest := []rune(text)
	for len(rest) > columns {
		folded = append(folded, string(rest[:columns]))
		rest = rest[columns:]
	}
	return append(folded, string(rest))
}

// Sizes of the picture, in pixels. A character of a common monospaced font is at
// most 0.61 of the font size wide.
const (
	fontSize   = 13
	lineHeight = 18
	margin     = 16
	width      = columns*fontSize*61/100 + 2*margin
)

// style contains colours that can be read on a light page and, in the second part,
// on a dark page.
const style = `
    text { font: %dpx ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1f2328; white-space: pre }
    .command { fill: #0550ae; font-weight: bold }
    rect { fill: #f6f8fa; stroke: #d1d9e0 }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 }
      .command { fill: #79c0ff }
      rect { fill: #0d1117; stroke: #3d444d }
    }
  `

// draw returns the lines as an SVG image.
func draw(shown []line) []byte {
	var svg bytes.Buffer
	height := len(shown)*lineHeight + 2*margin
	fmt.Fprintf(&svg, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img">`+"\n", width, height)
	fmt.Fprintf(&svg, "  <title>A terminal in which context answers from its own documentation</title>\n")
	fmt.Fprintf(&svg, "  <style>"+style+"</style>\n", fontSize)
	fmt.Fprintf(&svg, `  <rect x="0.5" y="0.5" width="%d" height="%d" rx="6"/>`+"\n", width-1, height-1)
	for i, l := range shown {
		if l.text == "" {
			continue
		}
		class := ""
		if l.isCommand {
			class = ` class="command"`
		}
		fmt.Fprintf(&svg, `  <text x="%d" y="%d" xml:space="preserve"%s>%s</text>`+"\n", margin, margin+i*lineHeight+fontSize, class, escape(l.text))
	}
	svg.WriteString("</svg>\n")
	return svg.Bytes()
}

var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace
