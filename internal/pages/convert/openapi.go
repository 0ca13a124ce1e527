package convert

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/pages/markdown"
)

// An api is a description by OpenAPI 3 or Swagger 2.
type api struct {
	*markdownWriter
	root     *orderedValue
	isTwo    bool     // Swagger 2
	resolved []string // references around the schema that is written
	left     int      // lines that the schema can still take
	isNamed  bool     // in the section of a schema, which links to other schemas
}

// The keys that show that a file describes an API, without parsing the file.
var (
	openAPIInYAML = lazy.Regexp(`(?m)^["']?(?:openapi|swagger)["']?[ \t]*:`)
	openAPIInJSON = lazy.Regexp(`"(?:openapi|swagger)"\s*:\s*"[0-9]`)
)

// convertOpenAPI converts the description of an API. Each operation and each schema becomes a
// section, in the order of the file. Tags group the operations.
func convertOpenAPI(ctx context.Context, content []byte) (Converted, error) {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	isJSON := bytes.HasPrefix(bytes.TrimLeft(content, " \t\r\n"), []byte("{"))
	if isJSON && !openAPIInJSON().Match(content) || !isJSON && !openAPIInYAML().Match(content) {
		return Converted{}, skip("not an OpenAPI description")
	}
	if !utf8.Valid(content) {
		return Converted{}, fmt.Errorf("OpenAPI: not valid UTF-8")
	}
	read := readYAML
	if isJSON {
		read = readJSON
	}
	root, err := read(content)
	if err != nil {
		return Converted{}, fmt.Errorf("OpenAPI: %w", err)
	}
	version := cmp.Or(root.str("openapi"), root.str("swagger"))
	switch {
	case version == "":
		return Converted{}, skip("not an OpenAPI description")
	case !strings.HasPrefix(version, "3.") && version != "2.0" && version != "2":
		return Converted{}, fmt.Errorf("OpenAPI: version %.20q is not supported; expected 3.0, 3.1 or Swagger 2.0", version)
	}
	a := &api{markdownWriter: &markdownWriter{ctx: ctx, anchors: map[string]bool{}}, root: root, isTwo: root.str("swagger") != ""}
	return a.page()
}

func (a *api) page() (Converted, error) {
	info := a.root.get("info")
	title := cmp.Or(fold(info.str("title")), "API")
	a.title(1, title, "")
	a.markdown(info.str("description"), 1)
	if version := fold(info.str("version")); version != "" {
		a.say("Version: " + codeOf(version))
	}
	a.servers()
	a.operations()
	a.schemas()
	return a.converted(title, map[string]string{"description": fold(info.str("summary"))})
}

func (a *api) servers() {
	var urls []string
	for _, server := range a.root.get("servers").list() {
		urls = append(urls, codeOf(server.str("url")))
	}
	if host := a.root.str("host"); host != "" {
		urls = append(urls, codeOf(host+a.root.str("basePath")))
	}
	if len(urls) > 0 {
		a.say("Servers: " + strings.Join(urls, ", "))
	}
}

func (a *api) title(level int, text, anchor string) {
	if markdown.AnchorComment(anchor) == "" {
		anchor = ""
	}
	a.line.raw(text)
	a.endHeading(level, anchor)
}

func (a *api) say(text string) {
	if text != "" {
		a.lines(text)
	}
}

func codeOf(text string) string {
	if text = fold(text); text == "" {
		return ""
	}
	return codeSpan(text)
}

// markdown writes a description, which is Markdown. The headings of the first description move
// down by one level. Elsewhere they become bold text, so that an operation stays one section.
func (a *api) markdown(text string, level int) {
	text = strings.Trim(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if strings.TrimSpace(text) == "" {
		return
	}
	lines := closeFence(text)
	isCode := false
	for i, line := range lines {
		if trimmed := strings.TrimLeft(line, " "); strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
			isCode = !isCode
		}
		hashes := len(line) - len(strings.TrimLeft(line, "#"))
		title := strings.TrimSpace(strings.Trim(line, "#"))
		if isCode || hashes == 0 || hashes > 6 || title == "" || line[hashes] != ' ' {
			continue
		}
		if level == 1 {
			lines[i] = strings.Repeat("#", min(6, hashes+1)) + " " + title
		} else {
			lines[i] = "**" + title + "**"
		}
	}
	a.lines(lines...)
}

// An operation is a method of a path, or what a webhook sends.
type operation struct {
	name   string        // such as GET /pets
	shared *orderedValue // the path, which contains parameters of all its methods
	*orderedValue
}

var methods = setOf("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")

// operations writes the operations, grouped by their first tag. Tags that the file declares come
// first, in that order.
func (a *api) operations() {
	groups := map[string][]operation{}
	var order []string
	described := map[string]*orderedValue{}
	for _, tag := range a.root.get("tags").list() {
		name := fold(tag.str("name"))
		if _, found := described[name]; !found && name != "" {
			described[name], order = tag, append(order, name)
		}
	}
	collect := func(paths *orderedValue, group string) {
		for path, item := range paths.pairs {
			item, _ = item.resolve(a.root)
			for method, op := range item.pairs {
				if !methods[strings.ToLower(method)] {
					continue
				}
				tag := cmp.Or(group, fold(firstText(op.get("tags"))))
				if _, found := described[tag]; !found {
					described[tag], order = nil, append(order, tag)
				}
				groups[tag] = append(groups[tag], operation{strings.ToUpper(method) + " " + path, item, op})
			}
		}
	}
	collect(a.root.get("paths"), "")
	collect(a.root.get("webhooks"), "Webhooks")
	for _, tag := range order {
		if len(groups[tag]) == 0 {
			continue
		}
		level := 2
		if tag != "" {
			a.line.write(tag)
			a.endHeading(level, "")
			a.markdown(described[tag].str("description"), 2)
			level = 3
		}
		for _, op := range groups[tag] {
			a.operation(op, level)
		}
	}
}

func firstText(list *orderedValue) string {
	if all := list.list(); len(all) > 0 {
		return all[0].scalar()
	}
	return ""
}

func (a *api) operation(op operation, level int) {
	if a.ended() {
		return
	}
	a.title(level, codeOf(op.name), op.str("operationId"))
	if op.str("deprecated") == "true" {
		a.say("**Deprecated.**")
	}
	a.markdown(op.str("summary"), 2)
	if op.str("description") != op.str("summary") {
		a.markdown(op.str("description"), 2)
	}
	if id := codeOf(op.str("operationId")); id != "" {
		a.say("Operation ID: " + id)
	}
	a.security(op)
	body := a.parameters(op)
	a.requestBody(op, body)
	a.responses(op)
}

func (a *api) security(op operation) {
	required := op.get("security")
	if required == nil {
		required = a.root.get("security")
	}
	var choices []string
	for _, choice := range required.list() {
		var all []string
		for name := range choice.pairs {
			all = append(all, codeOf(name))
		}
		if len(all) > 0 {
			choices = append(choices, strings.Join(all, " and "))
		}
	}
	if len(choices) > 0 {
		a.say("Security: " + strings.Join(choices, " or "))
	}
}

// parameters writes a table of the parameters. In Swagger 2, some parameters are the body; it
// returns them instead.
func (a *api) parameters(op operation) (body []*orderedValue) {
	type key struct{ name, in string }
	places := map[key]int{}
	var all []*orderedValue
	for _, list := range []*orderedValue{op.shared.get("parameters"), op.get("parameters")} {
		for _, p := range list.list() {
			p, _ = p.resolve(a.root)
			k := key{p.str("name"), p.str("in")}
			if p == nil || k.name == "" {
				continue
			}
			if i, found := places[k]; found {
				all[i] = p
				continue
			}
			places[k] = len(all)
			all = append(all, p)
		}
	}
	rows := []string{"| Parameter | In | Type | Required | Description |", "| --- | --- | --- | --- | --- |"}
	for _, p := range all {
		if p.str("in") == "body" || p.str("in") == "formData" {
			body = append(body, p)
			continue
		}
		schema := p
		if s := p.get("schema"); s != nil {
			schema = s
		} else if content := p.get("content").list(); len(content) > 0 {
			schema = content[0].get("schema")
		}
		rows = append(rows, tableRow(codeOf(p.str("name")), fold(p.str("in")), a.typeOf(schema, 0), yesNo(p.str("required")), oneLine(p.str("description"))))
	}
	if len(rows) > 2 {
		a.lines(rows...)
	}
	return body
}

func yesNo(flag string) string {
	if flag == "true" {
		return "yes"
	}
	return "no"
}

func tableRow(cells ...string) string {
	for i, cell := range cells {
		cells[i] = strings.ReplaceAll(cell, "|", `\|`)
	}
	return rowLine(cells)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func (a *api) requestBody(op operation, body []*orderedValue) {
	request, _ := op.get("requestBody").resolve(a.root)
	if request == nil && len(body) == 0 {
		return
	}
	heading := "**Request body**"
	if request.str("required") == "true" || len(body) == 1 && body[0].str("required") == "true" {
		heading += " (required)"
	}
	if text := oneLine(request.str("description")); text != "" {
		heading += ": " + text
	}
	a.say(heading)
	var lines []string
	for _, p := range body {
		if p.str("in") == "body" {
			lines = append(lines, a.schemaLines("- ", "  ", p.get("schema"), p.str("description"))...)
		} else {
			lines = append(lines, "- "+a.property(p.str("name"), p, p.str("required") == "true"))
		}
	}
	lines = append(lines, a.media(request.get("content"), "")...)
	a.lines(lines...)
}

// media returns the lines of a body. Formats with the same schema share their lines.
func (a *api) media(content *orderedValue, indent string) (lines []string) {
	names, schemas := map[string][]string{}, map[string]*orderedValue{}
	var order []string
	for name, media := range content.pairs {
		schema := media.get("schema")
		key := cmp.Or(schema.str("$ref"), " "+name)
		if names[key] == nil {
			order, schemas[key] = append(order, key), schema
		}
		names[key] = append(names[key], codeOf(name))
	}
	for _, key := range order {
		lines = append(lines, a.schemaLines(indent+"- "+strings.Join(names[key], ", ")+": ", indent+"  ", schemas[key], "")...)
	}
	return lines
}

func (a *api) responses(op operation) {
	var lines []string
	for status, response := range op.get("responses").pairs {
		response, name := response.resolve(a.root)
		line := "- " + codeOf(status)
		if text := oneLine(cmp.Or(response.str("description"), name)); text != "" {
			line += ": " + text
		}
		lines = append(lines, line)
		if schema := response.get("schema"); schema != nil {
			lines = append(lines, a.schemaLines("  - ", "    ", schema, "")...)
		}
		lines = append(lines, a.media(response.get("content"), "  ")...)
	}
	if len(lines) > 0 {
		a.say("**Responses**")
		a.lines(lines...)
	}
}

func (a *api) schemas() {
	all := a.root.get("components").get("schemas")
	if a.isTwo {
		all = a.root.get("definitions")
	}
	if len(all.list()) == 0 {
		return
	}
	a.title(2, "Schemas", "schemas")
	a.isNamed = true
	for name, schema := range all.pairs {
		if a.ended() {
			return
		}
		a.title(3, codeOf(name), "schema-"+name)
		a.left = maxSectionLines
		a.markdown(schema.str("description"), 2)
		a.say("Type: " + a.typeOf(schema, 0))
		a.lines(a.members("", schema, 0)...)
	}
}
