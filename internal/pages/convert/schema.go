package convert

import (
	"cmp"
	"slices"
	"strings"
)

const (
	// maxSchemaDepth is how deep the members of a schema are listed in an operation.
	maxSchemaDepth = 3

	// maxSchemaLines is the most lines of a schema, because thousands of operations can return
	// the same large schema. Its own section contains the rest.
	maxSchemaLines = 100

	// maxSectionLines is the most lines of a schema in its own section.
	maxSectionLines = 10_000

	// maxChoices is the most values of an enumeration, or schemas of a choice, that are named.
	maxChoices = 50

	// maxTypeDepth is the most schemas around a type that is named.
	maxTypeDepth = 6
)

// schemaLines returns a schema as a list: its type, followed by its members.
func (a *api) schemaLines(marker, indent string, schema *orderedValue, description string) []string {
	if schema == nil {
		return []string{strings.TrimSuffix(marker, ": ")}
	}
	a.left = maxSchemaLines
	line := marker + a.typeOf(schema, 0)
	if text := oneLine(cmp.Or(description, schema.str("description"))); text != "" {
		line += ". " + text
	}
	return append([]string{line}, a.members(indent, schema, 0)...)
}

// members returns the properties of a schema as a nested list, including the properties of list
// items. A schema that contains itself is not expanded again.
func (a *api) members(indent string, schema *orderedValue, depth int) (lines []string) {
	if depth > maxSchemaDepth || schema == nil {
		return nil
	}
	if ref := schema.str("$ref"); ref != "" {
		if a.isNamed || slices.Contains(a.resolved, ref) {
			return nil
		}
		a.resolved = append(a.resolved, ref)
		defer func() { a.resolved = a.resolved[:len(a.resolved)-1] }()
	}
	schema, _ = schema.resolve(a.root)
	required := map[string]bool{}
	for _, name := range schema.get("required").list() {
		required[name.scalar()] = true
	}
	for name, property := range schema.get("properties").pairs {
		if a.left--; a.left < 0 {
			if a.left == -1 {
				lines = append(lines, indent+"- and more properties")
			}
			return lines
		}
		lines = append(lines, indent+"- "+a.property(name, property, required[name]))
		lines = append(lines, a.members(indent+"  ", property, depth+1)...)
	}
	for _, key := range []string{"allOf", "oneOf", "anyOf"} {
		for _, part := range schema.get(key).list() {
			if a.left--; a.left < 0 {
				return lines
			}
			if a.isNamed && key == "allOf" { // inherited properties
				part, _ = part.resolve(a.root)
			}
			lines = append(lines, a.members(indent, part, depth+1)...)
		}
	}
	for _, key := range []string{"items", "additionalProperties"} {
		lines = append(lines, a.members(indent, schema.get(key), depth+1)...)
	}
	return lines
}

func (a *api) property(name string, schema *orderedValue, isRequired bool) string {
	line := codeOf(name) + " (" + a.typeOf(schema, 0)
	if isRequired {
		line += ", required"
	}
	if schema.str("readOnly") == "true" {
		line += ", read-only"
	}
	line += ")"
	target, _ := schema.resolve(a.root)
	if text := oneLine(cmp.Or(schema.str("description"), target.str("description"))); text != "" {
		line += ": " + text
	}
	return line
}

// typeOf describes the type of a schema, for example "array of Pet".
func (a *api) typeOf(schema *orderedValue, depth int) string {
	if schema == nil {
		return "any"
	}
	if depth > maxTypeDepth {
		return "object"
	}
	if target, name := schema.resolve(a.root); name != "" {
		if target == nil || !a.isSection(schema.str("$ref")) {
			return codeOf(name)
		}
		return "[" + codeOf(name) + "](#" + (&markdownWriter{}).target("schema-"+name) + ")"
	}
	for _, choice := range []struct{ key, word string }{{"allOf", " and "}, {"oneOf", " or "}, {"anyOf", " or "}} {
		if parts := schema.get(choice.key).list(); len(parts) > 0 {
			return a.join(parts, choice.word, depth)
		}
	}
	text := a.baseType(schema, depth)
	if format := fold(schema.str("format")); format != "" {
		text += " (" + format + ")"
	}
	if schema.str("nullable") == "true" {
		text += " or null"
	}
	if values := schema.get("enum").list(); len(values) > 0 {
		text += ", one of " + quotedValues(values)
	}
	for _, key := range []string{"const", "default", "minimum", "maximum", "minLength", "maxLength", "pattern"} {
		if v := schema.get(key); v != nil && v.text != "" {
			text += ", " + key + " " + codeOf(v.text)
		}
	}
	return text
}

// isSection reports whether a reference leads to a schema with a section, which can be linked.
func (a *api) isSection(ref string) bool {
	name, isSchema := strings.CutPrefix(ref, "#/components/schemas/")
	if a.isTwo {
		name, isSchema = strings.CutPrefix(ref, "#/definitions/")
	}
	return isSchema && !strings.Contains(name, "/")
}

func (a *api) join(parts []*orderedValue, word string, depth int) string {
	var names []string
	for i, part := range parts {
		if i == maxChoices {
			names = append(names, "more")
			break
		}
		if name := a.typeOf(part, depth+1); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, word)
}

// baseType returns the type of a schema without its format and values. In OpenAPI 3.1, it can be
// a list of types.
func (a *api) baseType(schema *orderedValue, depth int) string {
	kind := schema.get("type")
	var names []string
	for _, one := range kind.list() {
		names = append(names, fold(one.scalar()))
	}
	name := cmp.Or(strings.Join(names, " or "), fold(kind.scalar()))
	switch {
	case name == "array":
		return "array of " + a.typeOf(schema.get("items"), depth+1)
	case name == "object" && schema.get("properties") == nil && schema.get("additionalProperties").list() != nil:
		return "map of " + a.typeOf(schema.get("additionalProperties"), depth+1)
	case name == "" && schema.get("properties") != nil:
		return "object"
	case name == "":
		return "any"
	}
	return name
}

func quotedValues(values []*orderedValue) string {
	var all []string
	for i, v := range values {
		if i == maxChoices {
			all = append(all, "...")
			break
		}
		all = append(all, codeOf(cmp.Or(v.scalar(), `""`)))
	}
	return strings.Join(all, ", ")
}
