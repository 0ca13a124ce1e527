//go:build !windows

package actions

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The system only says "no such file or directory" or "exec format error".
func TestAProgramThatCannotStartIsExplained(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		mode os.FileMode
		want string
	}{
		"CR LF":                        {"#!/bin/sh\r\necho\r\n", 0o777, "the first line of ./gen ends with CR LF, so the system looks for an interpreter whose name ends with CR: save the file with LF line ends"},
		"CR LF after env":              {"#!/usr/bin/env sh\r\necho\r\n", 0o777, "the first line of ./gen ends with CR LF"},
		"CR LF without a second line":  {"#!/bin/sh\r", 0o777, "the first line of ./gen ends with CR LF"},
		"a missing interpreter":        {"#! /no/such/python3 -u\n", 0o777, "/no/such/python3 does not exist, which the first line of ./gen names as its interpreter"},
		"a missing program of env":     {"#!/usr/bin/env -S A=1 no-such-python -u\n", 0o777, "no-such-python is not installed: no directory of PATH contains it, and the first line of ./gen names it"},
		"an interpreter that is a dir": {"#!/usr\n", 0o777, "/usr is a directory: name a program in it, which the first line of ./gen names"},
		"no name of an interpreter":    {"#!\n", 0o777, "the first line of ./gen names no interpreter"},
		"no first line":                {"echo\n", 0o777, "./gen names no interpreter: let it begin with a line such as #!/bin/sh"},
		"an empty file":                {"", 0o777, "./gen names no interpreter"},
		"a byte order mark":            {"\ufeff#!/bin/sh\n", 0o777, "./gen begins with a byte order mark"},
		"another architecture":         {"\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 100), 0o777, "./gen cannot run on "},
		"no permission":                {"#!/bin/sh\n", 0o666, "./gen is not executable: run `chmod +x ./gen`"},
		"its own status 127":           {"#!/bin/sh\nexit 127\n", 0o777, "exit status 127: it printed nothing"},
		"its own status 126":           {"#!/usr/bin/env sh\nexit 126\n", 0o777, "exit status 126: it printed nothing"},
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
	for name, want := range map[string]string{
		"./nothing": "./nothing does not exist", "./dir": "./dir is a directory: name a program in it", "./link": "./link is a symlink that leads nowhere",
		"./in.rst": "./in.rst is not executable",
	} {
		a, w := newAction(t), newWorkshop(t)
		a.Run, a.Version = []string{name, Placeholder}, ""
		write(t, a, "dir/file", "")
		if err := os.Symlink("nowhere", filepath.Join(a.Project, "link")); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Output(t.Context(), a); err == nil || !strings.Contains(err.Error(), ": "+want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
