package convert

import "strings"

// textOf returns the text of an element with its white space.
func textOf(n *htmlElement) string {
	var text strings.Builder
	appendText(&text, n, nil)
	return text.String()
}

// appendText appends the text of a node, with line feeds for breaks.
func appendText(text *strings.Builder, n *htmlElement, skip map[string]bool) {
	switch n.name {
	case "":
		text.WriteString(n.text)
	case "br":
		text.WriteByte('\n')
	}
	for child := n.first; child != nil; child = child.next {
		if child.name == "" {
			text.WriteString(child.text)
			continue
		}
		if isDropped(child) || isSign(child) || child.hasClass(skip) {
			continue
		}
		isLine := blocks[child.name] || child.isClass("line") && child.name == "div"
		if isLine && text.Len() > 0 && !strings.HasSuffix(text.String(), "\n") {
			text.WriteByte('\n')
		}
		appendText(text, child, skip)
		if isLine && !strings.HasSuffix(text.String(), "\n") {
			text.WriteByte('\n')
		}
	}
}

var (
	prompts = setOf("gp", "prompt", "shell-prompt", "hljs-meta-prompt")
	outputs = setOf("go", "gt", "output")
)

// pre writes code. Prompts are left out, except in a session, where they distinguish the code
// from its output.
func (w *markdownWriter) pre(n *htmlElement) {
	w.flush()
	var skip map[string]bool
	if !n.contains(func(c *htmlElement) bool { return c.hasClass(outputs) }) {
		skip = prompts
	}
	var text strings.Builder
	appendText(&text, n, skip)
	code := strings.Trim(cleanCode(text.String()), "\n")
	if strings.TrimSpace(code) == "" {
		return
	}
	if w.isCell {
		for line := range strings.SplitSeq(code, "\n") {
			if line = strings.TrimRight(line, " "); line != "" {
				w.line.raw(codeSpan(line))
				w.flush()
			}
		}
		return
	}
	w.fence(code, languageOf(n))
}

// cleanCode replaces the spaces and line ends that a compiler would reject.
func cleanCode(code string) string {
	code = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u00a0", " ", "\u200b", "", "\ufeff", "", "\x00", "\ufffd").Replace(code)
	lines := strings.Split(code, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t")
	}
	return strings.Join(lines, "\n")
}

func (w *markdownWriter) fence(code, language string) {
	if code == "" {
		return
	}
	fence := strings.Repeat("`", max(3, longestRun(code, '`')+1))
	w.lines(append(append([]string{fence + language}, strings.Split(code, "\n")...), fence)...)
}

// languageOf returns the language of a block of code. Generators name it on the code, on an
// element in it, or on an element around it.
func languageOf(n *htmlElement) string {
	for child := n.first; child != nil; child = child.next {
		if child.name == "code" {
			if language := languageIn(child); language != "" {
				return language
			}
		}
	}
	for range 4 {
		if n == nil || n.name == "body" {
			return ""
		}
		if language := languageIn(n); language != "" {
			return language
		}
		n = n.parent
	}
	return ""
}

func languageIn(n *htmlElement) string {
	for _, key := range []string{"data-lang", "data-language"} {
		if language := cleanLanguage(n.attr(key)); language != "" {
			return language
		}
	}
	words := strings.Fields(n.attr("class"))
	for i, class := range words {
		for _, prefix := range []string{"language-", "lang-", "highlight-source-", "highlight-"} {
			if name, ok := strings.CutPrefix(class, prefix); ok {
				return cleanLanguage(name)
			}
		}
		switch {
		case class == "brush:" && i+1 < len(words):
			return cleanLanguage(words[i+1])
		case class == "sourceCode" && i+1 < len(words) && n.name == "pre", class == "src" && i+1 < len(words) && n.name == "pre":
			return cleanLanguage(strings.TrimPrefix(words[i+1], "src-"))
		case class == "rust" && n.name == "pre":
			return "rust"
		}
	}
	return ""
}

var noLanguages = setOf("default", "none", "text", "plaintext", "plain", "nohighlight", "no-highlight", "notranslate", "auto", "output")

// cleanLanguage returns the name of a language for a fence, or "" if a fence can't contain it.
func cleanLanguage(name string) string {
	name = strings.ToLower(strings.Trim(name, ";,{}. "))
	for _, r := range name {
		if !(r < 0x80 && isWordByte(byte(r)) || strings.ContainsRune("+-#.", r)) {
			return ""
		}
	}
	if noLanguages[name] || len(name) > 32 {
		return ""
	}
	if name == "python3" || name == "ipython3" {
		return "python"
	}
	return name
}
