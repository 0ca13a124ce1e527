package stages_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/contextcompiler/context/stages"
)

// Otherwise a build with a new library would reuse documents that the old one made.
func TestVersionsNameTheLibrariesOfGoMod(t *testing.T) {
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for name, module := range map[string]string{"goldmark": "github.com/yuin/goldmark", "yaml": "go.yaml.in/yaml/v3", "toml": "github.com/BurntSushi/toml"} {
		found := regexp.MustCompile(regexp.QuoteMeta(module) + ` (v\S+)`).FindSubmatch(mod)
		if found == nil {
			t.Fatalf("go.mod does not require %s", module)
		}
		if want := name + " " + string(found[1]); !strings.Contains(stages.Versions, want) {
			t.Errorf("got %q, want %q in it: raise the stage's version, too, if documents change", stages.Versions, want)
		}
	}
}
