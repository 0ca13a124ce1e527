package mcp

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// The documentation promises these bounds, so neither changes without the other.
func TestBoundsAreThoseOfTheDocumentation(t *testing.T) {
	const kibibyte, mebibyte = 1 << 10, 1 << 20
	thousands := func(n int) string { return fmt.Sprintf("%d,%03d", n/1000, n%1000) }
	seconds := func(d time.Duration) string { return fmt.Sprint(d.Seconds(), " s") }
	for page, rows := range map[string][]string{
		"agents.md": {
			fmt.Sprintf("| connections | %d; ", maxConnections),
			fmt.Sprintf("| header of a request | %d KiB, within %s |", maxHeader/kibibyte, seconds(requestTime)),
			fmt.Sprintf("| body | %d MiB, within %s of the header; at most %d at once can be larger than %d KiB;", maxLine/mebibyte, seconds(requestTime), maxLargeBodies, maxSmallBody/kibibyte),
			fmt.Sprintf("| requests running or waiting | %d |", maxRequests),
			fmt.Sprintf("| while %d others are running or waiting | 503,", maxRequests),
			fmt.Sprintf("| running calls | `--max-calls`, %d;", DefaultMaxCalls),
			fmt.Sprintf("| a call, including its wait | `--tool-timeout`, %s |", seconds(DefaultToolTimeout)),
			fmt.Sprintf("| a client that does not read its answer | %s more |", seconds(Settings{}.writeTimeout()-DefaultToolTimeout)),
			fmt.Sprintf("| an idle connection | %s |", seconds(idleTime)),
			fmt.Sprintf("| text of an answer | %d MiB; for all answers that wait to be written, %d MiB |", maxHTTPAnswer/mebibyte, maxHTTPWaiting/mebibyte),
			fmt.Sprintf("| caches that a call opens, and that stay open | %s,", thousands(maxOpen)),
			fmt.Sprintf("| directories below a cache root | %s |", thousands(maxDirectories)),
			fmt.Sprintf("waits up to %v seconds for running ones", httpDrainTime.Seconds()),
			fmt.Sprintf("They take at most %s bytes:", thousands(maxInstructions)),
			fmt.Sprintf("unless they take more than %d bytes together", maxEnum),
		},
		"contract.md": {
			fmt.Sprintf("| a message over MCP | %d MiB |", maxLine/mebibyte),
			fmt.Sprintf("| requests over MCP that wait for an answer | %d;", maxInFlight),
			fmt.Sprintf("| running calls over MCP | `--max-calls`, %d |", DefaultMaxCalls),
			fmt.Sprintf("| the text of an answer over MCP | %d MiB;", maxAnswer/mebibyte),
			fmt.Sprintf("| texts over MCP that wait to be written | %d MiB;", maxWaiting/mebibyte),
			fmt.Sprintf("| a call over MCP | `--tool-timeout`, %s;", seconds(DefaultToolTimeout)),
			fmt.Sprintf("| caches that `mcp-context-server` keeps open | %d |", maxWarm),
		},
		"decisions.md": {fmt.Sprintf("after %s it cancels the calls that still run", seconds(drainTime))},
	} {
		text, err := os.ReadFile("../docs/" + page)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), row) {
				t.Errorf("docs/%s does not contain %q", page, row)
			}
		}
	}
	if end := drainTime + cutTime; end >= time.Second || cutTime < 100*time.Millisecond {
		t.Errorf("the server ends after %v, want less than a second, with time for calls to report their end", end)
	}
	if maxAhead < maxLine+lineCost || maxAhead < maxIDs+lineCost {
		t.Error("a line does not fit into what is read ahead")
	}
}

// Eight digits of a version name a cache, and an error lists 20 names.
func TestCachesAreNamedByEightDigits(t *testing.T) {
	dir := t.TempDir()
	build(t, dir+"/docs", "one")
	var cfg Settings
	for i := range 22 {
		cfg.Caches = append(cfg.Caches, NamedCache{Name: fmt.Sprintf("c%02d", i), Path: dir + "/docs"})
	}
	c := cachesOf(t, cfg)
	opened, err := c.openOne("c03")
	if err != nil {
		t.Fatal(err)
	}
	digits := strings.TrimPrefix(opened.Version().String(), "sha256:")
	for _, reference := range []string{digits[:8], digits[:12], "sha256:" + digits, "c05@" + digits[:8]} {
		if found, err := c.version(reference); err != nil || found.Cache != opened {
			t.Errorf("%s: got %v and error %v", reference, found.Name, err)
		}
	}
	_, err = c.version(digits[:7])
	if want := "c19 and 2 more"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%s: got error %v, want one that ends with %q", digits[:7], err, want)
	}
}
