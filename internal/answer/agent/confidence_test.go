package agent

import (
	"strings"
	"testing"

	"github.com/contextcompiler/context/selection"
)

func TestAWeakMatchNamesAFewWords(t *testing.T) {
	for _, tc := range []struct {
		lacks, try []string
		want       string
	}{
		{nil, nil, "weak match"},
		{[]string{"pizza", "Naples"}, nil, `weak match: the best section lacks "pizza", "Naples"`},
		{[]string{"pizza"}, []string{"Oven", "peel"}, `weak match: the best section lacks "pizza"; words to try: "Oven", "peel"`},
		{strings.Fields("1 2 3 4 5 6 7 8 9"), nil, `weak match: the best section lacks "1", "2", "3", "4", "5", "6", "7", "8", 1 other word`},
		{[]string{"pi\u202ezza"}, []string{"Ov\u200ben"}, `weak match: the best section lacks "pi\u202ezza"; words to try: "Ov\u200ben"`},
	} {
		if got := (matchQuality{Confidence: selection.Confidence{IsWeak: true, Lacks: tc.lacks, Try: tc.try}}).note(); got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
	if got := (matchQuality{Confidence: selection.Confidence{Lacks: []string{"pizza"}, Try: []string{"Oven"}}}).note(); got != "" {
		t.Errorf("got %q for a match that isn't weak", got)
	}
}
