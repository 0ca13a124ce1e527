// Command manpages writes the manual pages of programs from their help. It only needs
// the standard library, so that builds without a network can run it:
//
//	go run tools/manpages/main.go DIR PROGRAM...
//
// The pages contain the date of SOURCE_DATE_EPOCH, or no date without it.
package main

import (
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	dir := os.Args[1]
	if err := os.MkdirAll(dir, 0o777); err != nil {
		log.Fatal(err)
	}
	for _, program := range os.Args[2:] {
		name := filepath.Base(program)
		help := helpOf(program, "--help")
		write(dir, []string{name}, help)
		if strings.Contains(help, "`"+name+" help commands`") {
			writeCommands(dir, program, nil, helpOf(program, "help", "commands"))
		}
	}
}

// command matches a command in a list of commands.
var command = regexp.MustCompile(`(?m)^  ([a-z]+) +[A-Z]`)

// writeCommands writes the pages of the commands that a help lists, and of those below them.
func writeCommands(dir, program string, above []string, list string) {
	for _, found := range command.FindAllStringSubmatch(list, -1) {
		names := append(above[:len(above):len(above)], found[1])
		help := helpOf(program, append([]string{"help"}, names...)...)
		write(dir, append([]string{filepath.Base(program)}, names...), help)
		if _, commands, ok := strings.Cut(help, "\nCommands:\n"); ok {
			commands, _, _ = strings.Cut(commands, "\n\n")
			writeCommands(dir, program, names, commands)
		}
	}
}

func helpOf(program string, args ...string) string {
	out, err := exec.Command(program, args...).Output()
	if err != nil {
		log.Fatalf("%s %q: %v", program, args, err)
	}
	return string(out)
}

func write(dir string, names []string, help string) {
	date := ""
	if seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		date = time.Unix(seconds, 0).UTC().Format(time.DateOnly)
	}
	page := pageOf(names, help, date)
	if err := os.WriteFile(filepath.Join(dir, strings.Join(names, "-")+".1"), []byte(page), 0o666); err != nil {
		log.Fatal(err)
	}
}

// part matches the line that begins a part of a help.
var part = regexp.MustCompile(`(?m)^(Usage|Flags|Commands|Exit status): *`)

// pageOf returns a help as a manual page, in the language of man(7). Lines keep their ends.
func pageOf(names []string, help, date string) string {
	name := strings.Join(names, "-")
	short, rest, _ := strings.Cut(help, "\n")
	text := escape(rest)
	text = part.ReplaceAllStringFunc(text, func(heading string) string {
		return ".fi\n.SH " + strings.ToUpper(strings.TrimRight(heading, ": ")) + "\n.nf\n"
	})
	return fmt.Sprintf(".TH %s 1 \"%s\" context Context\n.SH NAME\n%s \\- %s\n.SH DESCRIPTION\n.nf\n%s.fi\n.SH SEE ALSO\ncontext(1)\n",
		escape(strings.ToUpper(name)), date, escape(name), escape(strings.TrimSuffix(short, ".")), text)
}

// escape makes troff print text literally. A plain "-" would become a hyphen, so a flag
// couldn't be copied from the page, and a line that begins with a dot would be a request.
func escape(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'").Replace(text)
}
