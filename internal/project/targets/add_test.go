package targets

import (
	"strings"
	"testing"

	"github.com/contextcompiler/context/fault"
)

// An addition keeps every byte of the file, and puts its lines where the caches end.
func TestAnAdditionKeepsTheFile(t *testing.T) {
	const docs = "version: 1\ncaches:\n  docs:\n    sources:\n      - docs\n"
	const added = "  new:\n    from: oci-layout:usb:v1\n"
	tests := []struct{ name, before, after, want string }{
		{"plain", docs, "", added},
		{"comment", docs, "# end\n", added},
		{"indented comment", docs + "  # end\n", "", added},
		{"end marker", "---\n" + docs, "...\n", added},
		{"no final newline", strings.TrimSuffix(docs, "\n"), "", "\n" + added},
		{"version last", strings.TrimPrefix(docs, "version: 1\n"), "\n# The format.\nversion: 1\n", added},
		{"carriage returns", strings.ReplaceAll(docs, "\n", "\r\n"), "# end\r\n", strings.ReplaceAll(added, "\n", "\r\n")},
		{"quoted keys", strings.ReplaceAll(docs, "caches", `"caches"`), "", added},
		{"flow style inside", "version: 1\ncaches:\n  docs: {sources: [\n# inside\ndocs]}\n", "", added},
		{"indent of 1", "version: 1\ncaches:\n docs:\n  sources:\n  - docs\n", "", " new:\n  from: oci-layout:usb:v1\n"},
		{"indent of 8", strings.ReplaceAll(docs, "  ", strings.Repeat(" ", 8)), "", strings.ReplaceAll(added, "  ", strings.Repeat(" ", 8))},
	}
	addition, err := ParseAddition("oci-layout:usb:v1", "new")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, file, err := Add("Contextfile.yml", []byte(test.before+test.after), addition, Environment{})
			if err != nil {
				t.Fatal(err)
			}
			if want := test.before + test.want + test.after; string(got) != want {
				t.Errorf("got\n%q\nwant\n%q", got, want)
			}
			if names := strings.Join(namesOf(file.Targets), " "); names != "docs new" {
				t.Errorf("got the targets %s", names)
			}
		})
	}
}

// If the lines would end up elsewhere, the error says that the file itself is fine.
func TestAnAdditionThatDoesNotFitIsRefused(t *testing.T) {
	const explicit = "version: 1\ncaches:\n  ? docs\n  : sources:\n      - docs\n"
	addition, err := ParseAddition("oci-layout:usb:v1", "new")
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = Add("Contextfile.yml", []byte(explicit), addition, Environment{})
	if err == nil || fault.CodeOf(err) != fault.ContextInvalid || !strings.Contains(err.Error(), "would be invalid with new at the end of its caches") {
		t.Errorf("got %v", err)
	}
}
