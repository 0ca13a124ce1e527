package words_test

import (
	"testing"

	"github.com/contextcompiler/context/internal/base/words"
)

func TestLanguagesAreTheNamesOfDirectories(t *testing.T) {
	for name, want := range map[string]bool{
		"en": true, "JA": true, "pt-br": true, "zh_Hans": true, "es-419": true,
		"": false, "io": false, "docs": false, "no-auth": false, "de-": false, "en-": false, "english": false,
	} {
		if got := words.IsLanguage(name); got != want {
			t.Errorf("%q: got %t, want %t", name, got, want)
		}
	}
}
