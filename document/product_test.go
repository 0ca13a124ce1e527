package document_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
)

func TestAProductIsANameAndAVersion(t *testing.T) {
	for text, want := range map[string]document.Product{
		"":                             {},
		"next":                         {Name: "next"},
		"next@16.4.6":                  {Name: "next", Version: "16.4.6"},
		"@ai-sdk/react":                {Name: "@ai-sdk/react"},
		"@ai-sdk/react@2.0":            {Name: "@ai-sdk/react", Version: "2.0"},
		"github.com/spf13/cobra@v1.10": {Name: "github.com/spf13/cobra", Version: "v1.10"},
		"Größe@1.0+ü":                  {Name: "Größe", Version: "1.0+ü"},
		strings.Repeat("x", 250):       {Name: strings.Repeat("x", 250)},
	} {
		got, err := document.ParseProduct(text)
		if got != want || err != nil {
			t.Errorf("%q: got %+v, %v, want %+v", text, got, err, want)
		}
		if got.String() != text {
			t.Errorf("%q: it prints as %q", text, got)
		}
	}
	for text, want := range map[string]string{
		"@":                              "the name is empty",
		"@@1":                            "the name is empty",
		"next@":                          "expected a version",
		"a@b@c":                          "contains @",
		"a b":                            "a space",
		"a@1\t2":                         "a space",
		"a\u00a0b":                       "a space",
		"a\u202eb":                       "a space or a control",
		"a\x00":                          "a space or a control",
		"a\xff":                          "UTF-8",
		strings.Repeat("x", 251):         "251 bytes",
		"a@" + strings.Repeat("1", 1000): "1000 bytes",
	} {
		if got, err := document.ParseProduct(text); got != (document.Product{}) || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: got %+v, %v, want an error with %q", text, got, err, want)
		}
	}
	if err := (document.Product{Version: "1"}).Check(); err == nil {
		t.Error("a version needs no name")
	}
}

func TestAProductIsReadAsItIsPrinted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := document.Product{Name: rapid.StringMatching(`@?[a-z@ /]{0,4}`).Draw(t, "name"), Version: rapid.StringMatching(`[0-9@. ]{0,4}`).Draw(t, "version")}
		again, err := document.ParseProduct(p.String())
		if p.Check() == nil && (again != p || err != nil) {
			t.Errorf("%+v: got %+v, %v", p, again, err)
		}
		if err == nil && again.Check() != nil {
			t.Errorf("%q: got %+v, which is invalid", p.String(), again)
		}
	})
}
