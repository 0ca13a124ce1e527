package console

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// Page shows a text in the user's pager if w is a terminal and the text, which may contain
// colours, is longer than its screen. It reports whether it showed the text. If not,
// because there is no terminal, no need or no pager, the caller should print the text.
// Users can quit the pager before the end of the text.
func Page(w io.Writer, text []byte) (isShown bool) {
	screen := fileOf(w)
	if screen == nil || isDumb() {
		return false
	}
	columns, rows, err := term.GetSize(int(screen.Fd()))
	if err != nil || columns < 1 || rowsOf(text, columns) < rows {
		return false
	}
	pager := pagerCommand()
	if pager == nil {
		return false
	}
	pager.Stdin, pager.Stdout, pager.Stderr = bytes.NewReader(text), screen, os.Stderr
	pager.Env = os.Environ()
	for _, variable := range []string{"LESS=FRX", "LV=-c"} { // as git does
		name, _, _ := strings.Cut(variable, "=")
		if _, isSet := os.LookupEnv(name); !isSet {
			pager.Env = append(pager.Env, variable)
		}
	}
	// Ctrl-C is for the pager, where it may end a search. If this process ended instead, the
	// pager and the shell would both read the keyboard.
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	err = pager.Run()
	return err == nil || isStarted(pager.ProcessState)
}

// isStarted reports whether the shell found the pager.
func isStarted(ended *os.ProcessState) bool {
	const noPermission, notFound = 126, 127 // of a shell
	return ended != nil && ended.ExitCode() != noPermission && ended.ExitCode() != notFound
}

// pagerCommand returns the command of the user's pager, or nil. Like git, it runs commands
// that contain special characters in a shell.
func pagerCommand() *exec.Cmd {
	line := "less"
	for _, variable := range []string{"CONTEXT_PAGER", "PAGER"} {
		if value, isSet := os.LookupEnv(variable); isSet {
			line = value
			break
		}
	}
	switch {
	case line == "" || line == "cat":
		return nil
	case strings.ContainsAny(line, "|&;<>()$`\\\"' \t\n*?[#~=%"):
		return exec.Command("sh", "-c", line)
	}
	return exec.Command(line)
}

// tabStop is the distance of tab stops on a terminal, in columns.
const tabStop = 8

// rowsOf returns how many rows a text takes on a screen. It may return a few more, because
// it counts two columns for every character beyond ASCII. That does no harm: a pager such
// as less ends at once if the text fits.
func rowsOf(text []byte, columns int) (rows int) {
	for line := range bytes.Lines(sequence().ReplaceAll(text, nil)) {
		width := 0
		for _, r := range string(withoutEnd(line)) {
			switch {
			case r == '\t':
				width += tabStop - width%tabStop
			case r < utf8.RuneSelf:
				width++
			default:
				width += 2
			}
		}
		rows += max(1, (width+columns-1)/columns)
	}
	return rows
}
