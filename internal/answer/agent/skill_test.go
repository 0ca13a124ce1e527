package agent

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/pipeline"
)

// No title or description ends the front matter of a skill, or makes it invalid.
func TestTheFrontMatterOfASkillIsYAML(t *testing.T) {
	dir := t.TempDir()
	pages := map[string]string{"readme.md": "# \"Quoted\": 'text' # and <b>tags</b> --- \\x {}\n", "z/last.md": "# Last\n"}
	for i, title := range []string{"- item", "&anchor *alias", "true", "\u202ebidi", "%directive", strings.Repeat("long ", 100)} {
		pages[string(rune('a'+i))+".md"] = "# " + title + "\n"
	}
	trees.WriteTree(t, filepath.Join(dir, "docs"), pages)
	about := document.About{Description: strings.Repeat("It's \"all\": you #need; ", 40)}
	cfg := pipeline.Config{Sources: []pipeline.Mount{{Dir: filepath.Join(dir, "docs")}}, Cache: filepath.Join(dir, "cache"), About: about}
	if _, err := pipeline.Build(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	c, err := answers.Open(cfg.Cache)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, name := range []string{"", "docs"} {
		set, err := answers.NewSet([]answers.Member{{Name: name, Cache: c}})
		if err != nil {
			t.Fatal(err)
		}
		for _, skillName := range []string{"docs", "123", "true", "0x1f"} {
			got, err := Skill(t.Context(), set, SkillRequest{Name: skillName})
			if err != nil {
				t.Fatal(err)
			}
			parts := bytes.SplitN(got, []byte("---\n"), 3)
			var front map[string]string
			if err := yaml.Unmarshal(parts[1], &front); err != nil {
				t.Fatalf("%v\n%s", err, parts[1])
			}
			about := front["description"]
			const longest = 1024 // of the specification
			if len(front) != 2 || front["name"] != skillName || len(about) > longest || strings.ContainsAny(about, "<>\n") {
				t.Errorf("got %q", front)
			}
			for _, want := range []string{"It's \"all\": you #need; It's", `"Quoted": 'text' # and`, "- item", `\u202ebidi`} {
				if !strings.Contains(about, want) {
					t.Errorf("got %q, want %q in it", about, want)
				}
			}
			if !IsSkill(got) || IsSkill([]byte("# Skill\n")) {
				t.Errorf("the mark is not found in %s, or found elsewhere", got)
			}
		}
	}
}
