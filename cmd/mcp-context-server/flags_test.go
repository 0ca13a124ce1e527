//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

func TestFlagsAndEnvironment(t *testing.T) {
	root := newRoot(t, 1)
	const noRoot = "error: nothing to serve: pass --cache-root DIR, or set CONTEXT_CACHE_ROOT, for caches; " +
		"pass --project DIR, or set CONTEXT_PROJECT_ROOT, for directory contexts (see `mcp-context-server --help`)\n"
	for _, c := range []struct {
		name   string
		args   string
		env    string // variables
		status int
		stderr string // a part of it
	}{
		{"no root", "", "", 1, noRoot},
		{"empty variables", "", "CONTEXT_CACHE_ROOT= CONTEXT_PROJECT_ROOT=", 1, noRoot},
		{"empty flag", "--cache-root=", "CONTEXT_CACHE_ROOT=" + root, 1, noRoot},
		{"empty project flag", "--project=", "CONTEXT_PROJECT_ROOT=" + root, 1, noRoot},
		{"root by flag", "--cache-root ROOT", "", 0, ""},
		{"root by variable", "", "CONTEXT_CACHE_ROOT=" + root, 0, ""},
		{"flag before variable", "--cache-root ROOT", "CONTEXT_CACHE_ROOT=/nowhere", 0, ""},
		{"missing root", "--cache-root ROOT/none", "", 0, "level=WARN msg=\"no caches yet\" error=\"cache root " + root + "/none: no such file or directory\"\n"},
		{"missing root by variable", "", "CONTEXT_CACHE_ROOT=" + root + "/none", 0, "no caches yet"},
		{"root is a file", "--cache-root ROOT/docs/manifest.json", "", 0, "no caches yet"},
		{"root is a cache", "--cache-root ROOT/docs", "", 1, "error: the cache root " + root + "/docs is itself a cache: pass the directory that contains it, " + root + " (see"},
		{"root is a cache, by variable", "", "CONTEXT_CACHE_ROOT=" + root + "/docs/", 1, "is itself a cache: pass the directory that contains it, " + root + " (see"},
		{"project by flag", "--project ROOT", "", 0, ""},
		{"project by variable", "", "CONTEXT_PROJECT_ROOT=" + root, 0, ""},
		{"project flag before variable", "--project ROOT", "CONTEXT_PROJECT_ROOT=/nowhere", 0, ""},
		{"both by flags", "--cache-root ROOT --project ROOT", "", 0, ""},
		{"both by variables", "", "CONTEXT_CACHE_ROOT=" + root + " CONTEXT_PROJECT_ROOT=" + root, 0, ""},
		{"root and an empty project variable", "--cache-root ROOT", "CONTEXT_PROJECT_ROOT=", 0, ""},
		{"project and an empty root variable", "--project ROOT", "CONTEXT_CACHE_ROOT=", 0, ""},
		{"missing project", "--project ROOT/none", "", 0, "level=WARN msg=\"no contexts yet\" error=\"no project at " + root + "/none: no such file or directory\"\n"},
		{"missing project by variable", "", "CONTEXT_PROJECT_ROOT=" + root + "/none", 0, "no project at " + root + "/none"},
		{"project is a file", "--project ROOT/docs/manifest.json", "", 0, "manifest.json: it is not a directory"},
		{"root and a missing project", "--cache-root ROOT --project ROOT/none", "", 0, "no contexts yet"},
		{"missing root and a project", "--cache-root ROOT/none --project ROOT", "", 0, "no caches yet"},
		{"project and zero timeout", "--project ROOT --tool-timeout 0", "", 1, "above 0"},
		{"timeout", "--cache-root ROOT --tool-timeout 5s", "", 0, ""},
		{"timeout by variable", "--cache-root ROOT", "CONTEXT_TOOL_TIMEOUT_SECS=5", 0, ""},
		{"empty timeout variable", "--cache-root ROOT", "CONTEXT_TOOL_TIMEOUT_SECS=", 0, ""},
		{"zero timeout", "--cache-root ROOT --tool-timeout 0", "", 1, "above 0"},
		{"negative timeout", "--cache-root ROOT --tool-timeout -5s", "", 1, "above 0"},
		{"timeout without unit", "--cache-root ROOT --tool-timeout 5", "", 1, "tool-timeout"},
		{"zero timeout variable", "--cache-root ROOT", "CONTEXT_TOOL_TIMEOUT_SECS=0", 1, "above 0"},
		{"negative timeout variable", "--cache-root ROOT", "CONTEXT_TOOL_TIMEOUT_SECS=-1", 1, "CONTEXT_TOOL_TIMEOUT_SECS"},
		{"timeout variable is a word", "--cache-root ROOT", "CONTEXT_TOOL_TIMEOUT_SECS=soon", 1, "CONTEXT_TOOL_TIMEOUT_SECS"},
		{"timeout variable with unit", "--cache-root ROOT", "CONTEXT_TOOL_TIMEOUT_SECS=5s", 1, "CONTEXT_TOOL_TIMEOUT_SECS"},
		{"timeout variable overflows", "--cache-root ROOT", "CONTEXT_TOOL_TIMEOUT_SECS=99999999999999999999", 1, "CONTEXT_TOOL_TIMEOUT_SECS"},
		{"flag before bad variable", "--cache-root ROOT --tool-timeout 5s", "CONTEXT_TOOL_TIMEOUT_SECS=soon", 0, ""},
		{"no calls", "--cache-root ROOT --max-calls 0", "", 1, "above 0"},
		{"underscore", "--cache-root ROOT --tool-names underscore", "", 0, ""},
		{"names of no style", "--cache-root ROOT --tool-names camel", "", 1, "dotted or underscore"},
		{"level", "--cache-root ROOT --log-level debug", "", 0, ""},
		{"no level", "--cache-root ROOT --log-level loud", "", 1, "--log-level"},
		{"unknown flag", "--cache-root ROOT --port 80", "", 1, "unknown flag"},
		{"argument", "--cache-root ROOT more", "", 1, "more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cmd := program(t, strings.Fields(strings.ReplaceAll(c.args, "ROOT", root))...)
			cmd.Env = append(cmd.Env, strings.Fields(c.env)...)
			out, errs, status := output(t, cmd)
			if status != c.status || !strings.Contains(errs, c.stderr) || out != "" {
				t.Errorf("got exit status %d, %q and %q, want %d and %q", status, out, errs, c.status, c.stderr)
			}
			if lines := strings.Count(errs, "\n"); c.status != 0 && (lines != 1 || !strings.HasPrefix(errs, "error: ")) {
				t.Errorf("got %q, want one line that begins with error:", errs)
			}
		})
	}
}

// output runs cmd without input and returns its output and its exit status.
func output(t *testing.T, cmd *exec.Cmd) (out, errs string, status int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

func TestVersionAndHelpArePrinted(t *testing.T) {
	for _, c := range []struct{ flag, want string }{
		{"--version", "context "},
		{"-V", "context "},
		{"--help", "CONTEXT_CACHE_ROOT"},
		{"--help", "CONTEXT_PROJECT_ROOT"},
		{"-h", "--project DIR"},
		{"-h", "--tool-names"},
	} {
		out, errs, status := output(t, program(t, c.flag))
		if status != 0 || errs != "" || !strings.Contains(out, c.want) {
			t.Errorf("%s: got exit status %d, %q and %q, want %q", c.flag, status, out, errs, c.want)
		}
	}
}

// Whatever is logged, standard output is JSON, a line a message.
func TestLogsGoToStandardErrorOnly(t *testing.T) {
	root := newRoot(t, 3)
	var logs bytes.Buffer
	cmd := program(t, "--cache-root", root, "--log-level", "debug")
	cmd.Stderr = &logs
	s := begin(t, cmd).initialize()
	s.sendResolve("docs", 100)
	s.sendResolve("no such cache", 100)
	s.sendCall("context.inspect_cache", `{}`)
	s.send("no JSON")
	s.in.Close()
	lines := s.receiveAll()
	s.expectEnd()
	for _, line := range lines {
		if !json.Valid([]byte(line)) {
			t.Errorf("standard output: %q", line)
		}
	}
	if len(lines) != 4 || !strings.Contains(logs.String(), "no such cache") {
		t.Errorf("got %d lines and the log %q, want 4 and the name of the cache", len(lines), &logs)
	}
}

// The end.
