package tools

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// releasePlatforms returns the systems and architectures of a release, such as linux_amd64.
func releasePlatforms(t *testing.T) (platforms []string) {
	t.Helper()
	text, err := os.ReadFile("../.goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Builds []struct{ Goos, Goarch []string }
	}
	if err := yaml.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	for _, build := range config.Builds[:1] {
		for _, system := range build.Goos {
			for _, architecture := range build.Goarch {
				platforms = append(platforms, system+"_"+architecture)
			}
		}
	}
	slices.Sort(platforms)
	return platforms
}

// docs/releases.md names the archive of each platform, and no other.
func TestTheArchivesInReleasesAreThoseOfTheConfig(t *testing.T) {
	text, err := os.ReadFile("../docs/releases.md")
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, found := range regexp.MustCompile(`context_VERSION_(\w+)\.(?:tar\.gz|zip)`).FindAllStringSubmatch(string(text), -1) {
		named = append(named, found[1])
	}
	slices.Sort(named)
	if got, want := slices.Compact(named), releasePlatforms(t); !slices.Equal(got, want) || len(want) != 8 {
		t.Errorf("docs/releases.md has %q, .goreleaser.yaml has %q", got, want)
	}
}

// The tasks of docs/releases.md take long, but they exist.
func TestTheTasksInReleasesExist(t *testing.T) {
	tasks := run(t, "..", "go tool -modfile=tools/go.mod task --list")
	blocks := blocksWith(t, "docs/releases.md", "task release:snapshot")
	named := regexp.MustCompile(`task (release:\w+)`).FindAllStringSubmatch(strings.Join(blocks, ""), -1)
	for _, task := range named {
		if !strings.Contains(tasks, "* "+task[1]+": ") {
			t.Errorf("there is no task %s", task[1])
		}
	}
	if len(named) != 3 {
		t.Errorf("got %d tasks, want 3", len(named))
	}
}
