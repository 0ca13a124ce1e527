package contextfile

import "strings"

// contentsMark is the comment behind a fingerprint that is made of contents. The
// digits alone do not say which form a fingerprint has once it is stale.
const contentsMark = "# of contents"

// MarkContents puts the comment "# of contents" behind the fingerprint and changes
// no other byte. It returns text itself if the comment is there, or if something
// else stands behind the value on its line. Text that Parse refuses gets Parse's
// error.
func MarkContents(text []byte) ([]byte, error) {
	t, err := parseTree(text)
	if err != nil {
		return nil, err
	}
	want, err := readContext(t)
	if err != nil {
		return nil, err
	}
	end, behind := t.behindFingerprint()
	if end < 0 || want.OfContents || behind != "" && behind[0] != '#' {
		return text, nil
	}
	at := t.offset(end)
	after := apply(text, []edit{{at, at, " " + contentsMark}})
	return after, verify(after, want)
}

// isMarked reports whether the comment stands behind the fingerprint.
func (t *tree) isMarked() bool {
	_, behind := t.behindFingerprint()
	return strings.HasPrefix(behind, contentsMark)
}

// behindFingerprint returns the index at which the fingerprint ends, and what
// stands behind it on its line, without blanks around it. The index is -1 if the
// value is not on one line.
func (t *tree) behindFingerprint() (end int, behind string) {
	_, node := t.find("fingerprint")
	at, err := t.index(node.Line, node.Column)
	if err != nil {
		return -1, ""
	}
	at = t.afterProperties(at)
	length, ok := t.tokenLength(node, at)
	if !ok {
		return -1, ""
	}
	end = at + length
	limit := end
	for limit < len(t.runes) && t.runes[limit] != '\n' {
		limit++
	}
	return end, strings.Trim(string(t.runes[end:limit]), " \t\r")
}
