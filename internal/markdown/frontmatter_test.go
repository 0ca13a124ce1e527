package markdown

import "testing"

func TestFieldsAreYAMLOrTOML(t *testing.T) {
	for _, tc := range []struct{ name, content, fields, rest string }{
		{"YAML", "---\na: b\n---\ntext\n", "---\na: b\n", "text\n"},
		{"YAML with dots", "--- \na: b\n...\ntext\n", "--- \na: b\n", "text\n"},
		{"TOML", "+++\na = 'b'\n+++\ntext\n", "+++\na = 'b'\n", "text\n"},
		{"TOML with hyphens inside", "+++\na = '''\n---\n'''\n+++", "+++\na = '''\n---\n'''\n", ""},
		{"nothing in it", "---\n---\ntext\n", "---\n", "text\n"},
		{"text between rules", "---\ntext\n---\ntext\n", "", "---\ntext\n---\ntext\n"},
		{"an open end", "---\na: b\n+++\n", "", "---\na: b\n+++\n"},
		{"a rule", "---", "", "---"},
		{"text", "text\n---\n", "", "text\n---\n"},
		{"nothing", "", "", ""},
	} {
		fields, end := SplitFields([]byte(tc.content))
		if rest := tc.content[end:]; string(fields) != tc.fields || rest != tc.rest {
			t.Errorf("%s: got %q and %q, want %q and %q", tc.name, fields, rest, tc.fields, tc.rest)
		}
	}
}
