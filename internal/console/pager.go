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

// Page shows a text on the terminal that w is, in the user's pager, if the text is longer
// than the screen. The text may have colours. It reports whether it showed it: otherwise
// there is no terminal, no need or no pager, and the caller should print the text. A user
// may quit the pager before the end of the text.
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
	// Ctrl-C is for the pager, which may take it for the end of a search. If this process
	// ended, the pager would fight with the shell for the keyboard.
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	err = pager.Run()
	return err == nil || isStarted(pager.ProcessState)
}

// isStarted reports whether a shell found the program that it was to run.
func isStarted(ended *os.ProcessState) bool {
	const noPermission, notFound = 126, 127 // of a shell
	return ended != nil && ended.ExitCode() != noPermission && ended.ExitCode() != notFound
}

// pagerCommand returns the command of the user's pager, nil if there is none. A command
// with a character that is special to shells runs in one, as git has it.
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

// tabStop is the number of columns between the tab stops of a terminal.
const tabStop = 8

// rowsOf returns the rows of a screen that a text takes, or a few more: characters beyond
// ASCII count as two columns. A pager such as less shows a text that fits and ends.
func rowsOf(text []byte, columns int) (rows int) {
	for line := range bytes.Lines(sequence.ReplaceAll(text, nil)) {
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
