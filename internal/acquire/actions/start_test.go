package actions

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAProgramThatDoesNotStartIsExplained(t *testing.T) {
	const why = "./gen cannot start: "
	for name, tc := range map[string]struct {
		text string
		mode os.FileMode
		want string
	}{
		"CR LF":                 {"#!/bin/sh\r\necho\r\n", 0o777, why},
		"a missing interpreter": {"#! /no/such/python3 -u\n", 0o777, why},
		"no first line":         {"echo\n", 0o777, why},
		"another architecture":  {"\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 100), 0o777, why},
		"no permission":         {"#!/bin/sh\n", 0o666, "./gen is not executable: run `chmod +x ./gen`"},
		"its own status 127":    {"#!/bin/sh\nexit 127\n", 0o777, "exit status 127: it printed nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			a, w := newAction(t), newWorkshop(t)
			a.Run = []string{"./gen", Placeholder}
			write(t, a, "gen", tc.text)
			if err := os.Chmod(filepath.Join(a.Project, "gen"), tc.mode); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Output(t.Context(), a); err == nil || !strings.Contains(err.Error(), ": "+tc.want) {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
	for name, want := range map[string]string{"./nothing": "./nothing does not exist", "./in.rst": "./in.rst is not executable", "./": "./ is a directory: name a program in it"} {
		a, w := newAction(t), newWorkshop(t)
		a.Run, a.Version = []string{name, Placeholder}, ""
		if _, err := w.Output(t.Context(), a); err == nil || !strings.Contains(err.Error(), ": "+want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
