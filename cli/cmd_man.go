package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/contextcompiler/context/fault"
)

func manCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:     "man --dir DIR",
		Short:   "Write the manual pages of all commands",
		GroupID: programGroup,
		Example: "  context man --dir ~/.local/share/man/man1",
		Args:    noArguments,
		RunE: run(func(cmd *cobra.Command) error {
			if err := checkPath("dir", dir); err != nil {
				return err
			}
			return writeManual(cmd.Root(), dir)
		}),
	}
	cmd.Flags().StringVar(&dir, "dir", "", "write a page for each command into `DIR`, which is created")
	require(cmd, "dir")
	return cmd
}

// writeManual writes the pages of root, of all commands below it, and of
// mcp-context-server.
func writeManual(root *cobra.Command, dir string) error {
	date, err := manualDate()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fault.Errorf(fault.IO, "write the manual in %s: %w", dir, fault.Cause(err))
	}
	for _, cmd := range append(commandsOf(root), contractCommand()) {
		file := filepath.Join(dir, pageName(cmd)+".1")
		if err := os.WriteFile(file, manualPage(cmd, date), 0o666); err != nil {
			return fault.Errorf(fault.IO, "write the manual in %s: %w", dir, fault.Cause(err))
		}
	}
	return nil
}

func commandsOf(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			all = append(all, commandsOf(sub)...)
		}
	}
	return all
}

// manualDate returns the date of the pages. For a release, it is the date of its commit,
// so the pages don't change from day to day.
func manualDate() (string, error) {
	const day = len(time.DateOnly)
	if os.Getenv("SOURCE_DATE_EPOCH") == "" {
		if info, ok := debug.ReadBuildInfo(); ok {
			for _, setting := range info.Settings {
				if setting.Key == "vcs.time" && len(setting.Value) > day {
					return setting.Value[:day], nil
				}
			}
		}
	}
	at, err := now()
	if err != nil {
		return "", err
	}
	return at[:day], nil
}

func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

func manualPage(cmd *cobra.Command, date string) []byte {
	cmd.InitDefaultHelpFlag()
	var page roff
	page.macro("TH", strings.ToUpper(pageName(cmd)), "1", date, "context", "Context")
	page.macro("SH", "NAME")
	page.line(pageName(cmd) + " - " + cmd.Short)
	page.macro("SH", "SYNOPSIS")
	page.macro("B", cmd.UseLine())
	page.macro("SH", "DESCRIPTION")
	page.text(longOf(cmd))
	page.macro("SH", "OPTIONS")
	cmd.LocalFlags().VisitAll(page.flag)
	cmd.InheritedFlags().VisitAll(page.flag)
	if cmd.Example != "" {
		page.macro("SH", "EXAMPLES")
		page.text(cmd.Example)
	}
	page.macro("SH", "EXIT STATUS")
	for row := range strings.Lines(exitStatuses) {
		if status, meaning, ok := strings.Cut(strings.TrimSpace(row), "  "); ok {
			page.macro("TP", "5")
			page.line(status)
			page.line(strings.TrimSpace(meaning))
		}
	}
	if also := seeAlso(cmd); len(also) > 0 {
		page.macro("SH", "SEE ALSO")
		page.line(strings.Join(also, ", "))
	}
	return page.Bytes()
}

// seeAlso returns the pages above, below and next to the page of a command.
func seeAlso(cmd *cobra.Command) (pages []string) {
	if cmd.HasParent() {
		pages = append(pages, pageName(cmd.Parent())+"(1)")
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			pages = append(pages, pageName(sub)+"(1)")
		}
	}
	switch cmd.Name() {
	case "serve":
		pages = append(pages, serverName+"(1)")
	case serverName:
		pages = append(pages, "context-serve(1)", "context(1)")
	}
	return pages
}

// A roff is a manual page in the language of man(7).
type roff struct{ bytes.Buffer }

func (r *roff) macro(name string, args ...string) {
	r.WriteString("." + name)
	for _, arg := range args {
		fmt.Fprintf(r, ` "%s"`, strings.ReplaceAll(escapeRoff(arg), `"`, `\(dq`))
	}
	r.WriteByte('\n')
}

func (r *roff) line(text string) {
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		r.WriteString(`\&`) // without it the line is a request
	}
	r.WriteString(escapeRoff(text) + "\n")
}

// text writes paragraphs. Indented lines keep their line ends.
func (r *roff) text(text string) {
	indented := false
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		line = strings.TrimRight(line, "\n")
		if now := strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t"); now != indented {
			r.macro(map[bool]string{true: "nf", false: "fi"}[now])
			indented = now
		}
		if line == "" {
			r.macro("PP")
			continue
		}
		r.line(line)
	}
	if indented {
		r.macro("fi")
	}
}

func (r *roff) flag(flag *pflag.Flag) {
	value, usage := pflag.UnquoteUsage(flag)
	r.macro("TP")
	if flag.Shorthand != "" {
		fmt.Fprintf(r, `\fB%s\fR, `, escapeRoff("-"+flag.Shorthand))
	}
	fmt.Fprintf(r, `\fB%s\fR`, escapeRoff("--"+flag.Name))
	if value != "" {
		fmt.Fprintf(r, ` \fI%s\fR`, escapeRoff(value))
	}
	r.WriteByte('\n')
	if zero := []string{"", "0", "false", "[]"}; !slices.Contains(zero, flag.DefValue) {
		usage += " (default " + flag.DefValue + ")"
	}
	r.line(usage)
}

// escapeRoff makes troff print text literally. A plain "-" would become a hyphen, so a
// flag couldn't be copied from the page.
func escapeRoff(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
}
