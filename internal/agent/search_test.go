package agent

import "testing"

func TestPathsAreNamedByWhatDiffers(t *testing.T) {
	for _, tc := range []struct{ path, other, want string }{
		{"a/1/b.md", "a/2/b.md", "a/1/…"},
		{"5.1/b/c.md", "7.1/b/c.md", "5.1/…"},
		{"x:a/c.md", "y:a/c.md", "x:a/…"},
		{"a/b.md", "a/c.md", "a/b.md"},
		{"b.md", "c/b.md", "b.md"},
		{"a/b/b/c.md", "a/b/c.md", "a/b/…"},
		{"a/b.md", "a/b.md", "a/b.md"},
	} {
		if got := withoutEnd(tc.path, tc.other); got != tc.want {
			t.Errorf("%s beside %s: got %s, want %s", tc.path, tc.other, got, tc.want)
		}
	}
}
