package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// Kubernetes would accept the Job of docs/scale.md, and its pods build all shards of a cache.
func TestThePodsOfTheJobBuildACache(t *testing.T) {
	blocks := blocksWith(t, "docs/scale.md", "kind: Job")
	if len(blocks) != 1 {
		t.Fatalf("got %d Jobs, want 1", len(blocks))
	}
	var job batch.Job
	if err := yaml.UnmarshalStrict([]byte(blocks[0]), &job); err != nil {
		t.Fatal(err)
	}
	spec, pod := job.Spec, job.Spec.Template.Spec
	if spec.CompletionMode == nil || *spec.CompletionMode != batch.IndexedCompletion || spec.Completions == nil ||
		spec.BackoffLimitPerIndex == nil || pod.RestartPolicy != core.RestartPolicyNever || len(pod.Containers) != 1 {
		t.Fatalf("Kubernetes would refuse it: %s", blocks[0])
	}

	bin, dir := t.TempDir(), t.TempDir()
	run(t, "..", "go build -buildvcs=false -o "+bin+" ./cmd/context")
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	run(t, dir, "mkdir docs shared; for i in 1 2 3 4 5 6 7 8 9; do echo '# Page' > docs/$i.md; done")
	container := pod.Containers[0]
	if strings.Join(container.Command, " ") != "sh -ec" || len(container.Args) != 1 { // as run starts it
		t.Fatalf("got %q %q", container.Command, container.Args)
	}
	script := strings.NewReplacer("/docs", dir+"/docs", "/shared", dir+"/shared").Replace(container.Args[0])
	for index := range *spec.Completions {
		t.Setenv("JOB_COMPLETION_INDEX", fmt.Sprint(index))
		run(t, dir, script)
	}
	run(t, dir, "context merge shared/shards/* --cache merged; context build --sources docs --cache whole; diff -r whole merged")
}
