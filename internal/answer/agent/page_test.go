package agent

import (
	"strings"
	"testing"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
)

// Consecutive parts form a single text, which includes the header of their table only once.
func TestATextOfSeveralPartsHasOneFrame(t *testing.T) {
	const header, row = "| a | b |\n|---|---|\n", "| 1 | 2 |\n"
	content := []byte("# Names\n\n" + header + strings.Repeat(row, 800))
	p, err := pageOf(t.Context(), answers.Member{Cache: new(answers.Cache)}, 0, document.Document{Content: content})
	if err != nil || len(p.parts) < 3 {
		t.Fatalf("got %d parts, %v", len(p.parts), err)
	}
	second := string(content[p.parts[1].Start:p.parts[1].End])
	third := string(content[p.parts[2].Start:p.parts[2].End])
	for _, tc := range []struct {
		last int
		want string
	}{
		{1, header + second}, {2, header + second + third},
	} {
		it := p.framedText(1, tc.last)
		if string(it.Content) != tc.want {
			t.Errorf("parts 1 to %d: got %d bytes, want %d", tc.last, len(it.Content), len(tc.want))
		}
		if version := shortVersion(document.VersionOf([]byte(header + second))); it.Versions[0] != version || len(it.Versions) != tc.last {
			t.Errorf("parts 1 to %d: got the versions %v, want %v first", tc.last, it.Versions, version)
		}
	}
	whole := passage{p, p.parts[1].Start, p.parts[1].End}
	if size := tokensOf(len(header + second)); whole.fit(size) != whole.end || whole.fit(size-1) == whole.end {
		t.Errorf("the second part does not take %d tokens", size)
	}
}
