package mcp

import "testing"

func TestAcceptAllowsWhatTheClosestRangeAllows(t *testing.T) {
	for _, c := range []struct {
		accept []string
		want   bool
	}{
		{nil, true},
		{[]string{""}, true},
		{[]string{" , "}, true},
		{[]string{"*/*"}, true},
		{[]string{"application/json"}, true},
		{[]string{"Application/JSON;charset=utf-8"}, true},
		{[]string{"application/*"}, true},
		{[]string{"application/json, application/mcp+json"}, true},
		{[]string{"application/json, text/event-stream"}, true},
		{[]string{"text/event-stream", "application/json"}, true},
		{[]string{"text/html, image/gif, *; q=.2, */*; q=.2"}, true}, // Java
		{[]string{"text/event-stream, application/json;q=0.001"}, true},
		{[]string{"text/html;q=1, */*;q=0.1"}, true},
		{[]string{"*/*;q=0, application/json"}, true},
		{[]string{"application/json; Q = 0.5"}, true},
		{[]string{"application/json;q=high"}, true},
		{[]string{"application/json;q=0, application/json;charset=utf-8"}, true},
		{[]string{"text/event-stream"}, false},
		{[]string{"text/html,application/xhtml+xml"}, false},
		{[]string{"application/xml"}, false},
		{[]string{"application/jsonl"}, false},
		{[]string{"text/json"}, false},
		{[]string{"application/json;q=0"}, false},
		{[]string{"application/json ; q=0.000, */*"}, false},
		{[]string{"application/*;q=0, */*;q=1"}, false},
		{[]string{"*/*;q=0"}, false},
	} {
		if got := accepts(c.accept, "application/json"); got != c.want {
			t.Errorf("%q: got %t, want %t", c.accept, got, c.want)
		}
	}
}
