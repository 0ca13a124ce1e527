package contextfile

import "github.com/contextcompiler/context/internal/base/yaml12"

// A shape is the schema of a value.
type shape struct {
	kind    yaml12.Kind  // Text, Int, Float, List or Map
	element *shape       // of a List
	members []fieldShape // of a Map, ordered as in the JSON
	closed  bool         // a Map must not contain other members
	oneOf   []string     // the valid texts; nil if any text is
	limit   *limit       // of a number; nil for none
}

// A fieldShape is a named part of a Map.
type fieldShape struct {
	name     string
	required bool
	shape    *shape
}

// A limit bounds a number.
type limit struct {
	low, high float64
	want      string // for messages, such as "the number 1"
}

// maxInteger is the largest safe integer of JavaScript.
const maxInteger = 1<<53 - 1

var (
	aText    = &shape{kind: yaml12.Text}
	textList = &shape{kind: yaml12.List, element: aText}
	one      = &shape{kind: yaml12.Int, limit: &limit{1, 1, "the number 1"}}
	count    = &shape{kind: yaml12.Int, limit: &limit{-maxInteger, maxInteger, "a whole number of at most 2^53-1"}}
	share    = &shape{kind: yaml12.Float, limit: &limit{0, 100, "a number from 0 to 100"}}
)

func required(name string, s *shape) fieldShape { return fieldShape{name, true, s} }
func optional(name string, s *shape) fieldShape { return fieldShape{name, false, s} }

func oneOf(choices ...string) *shape { return &shape{kind: yaml12.Text, oneOf: choices} }

func record(members ...fieldShape) *shape { return &shape{kind: yaml12.Map, members: members} }

func records(members ...fieldShape) *shape {
	return &shape{kind: yaml12.List, element: record(members...)}
}

// schema is version 1 of .context.yaml, ordered as in the JSON.
var schema = &shape{kind: yaml12.Map, closed: true, members: []fieldShape{
	required("version", one),
	required("last_updated", aText),
	required("fingerprint", aText),
	required("scope", aText),
	required("summary", aText),
	optional("files", records(
		required("name", aText), required("purpose", aText), optional("test_file", aText),
	)),
	required("maintenance", aText),
	optional("interfaces", records(required("name", aText), required("description", aText))),
	optional("decisions", records(
		required("what", aText), required("why", aText), optional("tradeoff", aText),
	)),
	optional("constraints", textList),
	optional("dependencies", record(optional("internal", textList), optional("external", textList))),
	optional("current_state", record(
		optional("working", textList), optional("broken", textList), optional("in_progress", textList),
	)),
	optional("subdirectories", records(required("name", aText), required("summary", aText))),
	optional("environment", textList),
	optional("testing", textList),
	optional("todos", textList),
	optional("data_models", textList),
	optional("events", textList),
	optional("config", textList),
	optional("exports", textList),
	optional("project", record(
		required("name", aText), required("description", aText), required("language", aText),
		optional("framework", aText), optional("package_manager", aText),
	)),
	optional("structure", records(required("path", aText), required("summary", aText))),
	optional("derived_fields", textList),
	optional("evidence", evidence),
}}

var evidence = &shape{kind: yaml12.Map, closed: true, members: []fieldShape{
	required("collected_at", aText),
	optional("commit_sha", aText),
	optional("test_status", oneOf("passing", "failing", "unknown")),
	optional("test_count", count),
	optional("failing_tests", textList),
	optional("test_tool", aText),
	optional("typecheck", oneOf("clean", "errors", "unknown")),
	optional("typecheck_tool", aText),
	optional("lint_status", oneOf("clean", "errors", "unknown")),
	optional("lint_tool", aText),
	optional("coverage_percent", share),
}}

func (s *shape) names() (names []string) {
	for _, m := range s.members {
		names = append(names, m.name)
	}
	return names
}

// find returns the member of a name, or nil.
func (s *shape) find(name string) *fieldShape {
	for i := range s.members {
		if s.members[i].name == name {
			return &s.members[i]
		}
	}
	return nil
}
