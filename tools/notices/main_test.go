package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheNoticesAreThoseOfTheLinkedModules(t *testing.T) {
	want, err := notices("../..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../THIRD_PARTY_NOTICES")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got THIRD_PARTY_NOTICES of %d bytes, want the %d that `task notices` writes", len(got), len(want))
	}
	for _, name := range []string{"Go", "github.com/yuin/goldmark", "github.com/inconshreveable/mousetrap"} { // the last on Windows only
		if !bytes.Contains(want, []byte("\n\n"+name+" ")) {
			t.Errorf("the notices do not name %s", name)
		}
	}
}

func TestOurLicenceIsMIT(t *testing.T) {
	text, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	if ids, err := licencesOf(text); err != nil || len(ids) != 1 || ids[0] != "MIT" {
		t.Errorf("got %q, %v, want MIT", ids, err)
	}
}

func TestALicenceMustBeAllowed(t *testing.T) {
	mit, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	const gpl = "This program is free software: you can redistribute it and/or modify it under the terms of the GNU General Public " +
		"License as published by the Free Software Foundation, either version 3 of the License, or (at your option) any later version."
	for _, c := range []struct{ name, text, want string }{
		{"LICENSE", gpl, "LICENSE: GPL-3.0-or-later is not allowed"},
		{"LICENSE.txt", string(mit) + gpl, "LICENSE.txt: GPL-3.0-or-later is not allowed"},
		{"COPYING", "Ask the author, who may have a licence for you.", "COPYING: 0% of it is a known licence"},
		{"NOTICE", string(mit), "it has no licence"},
		{"license.go", string(mit), "it has no licence"},
		{"LICENSE.docs", gpl, "it has no licence"}, // only for documentation
		{"Licence-MIT", string(mit), ""},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, c.name), []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		err := writeNotice(&text, "a module", []string{dir})
		if c.want == "" {
			if err != nil || !strings.Contains(text.String(), "a module (MIT)\n") {
				t.Errorf("%s: got %q, %v", c.name, text.String(), err)
			}
		} else if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

// The notices must contain every module that is linked on any platform of a release.
func TestTheNoticesAreForTheSystemsOfARelease(t *testing.T) {
	config, err := os.ReadFile("../../.goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for key, values := range map[string][]string{"goos": systems, "goarch": architectures} {
		if line := key + ": [" + strings.Join(values, ", ") + "]\n"; strings.Count(string(config), line) != 1 {
			t.Errorf(".goreleaser.yaml has not one line %q", line)
		}
	}
}
