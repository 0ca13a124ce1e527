package mcp

import "github.com/contextcompiler/context/internal/base/lazy"

const (
	// maxIDs is the maximum size of the IDs that a scanner returns. An ID takes its length and
	// costOfID.
	maxIDs   = maxLine
	costOfID = 32
	// maxText is how many bytes of a string are kept, so a longer string cannot be an ID.
	maxText = 64 << 10
)

// An idScanner finds the IDs of the requests in a text that the server cannot read. Without them,
// clients could not match the error to a request, and would wait until their own timeout. The text
// may be invalid JSON, a batch, or too long to keep in memory, because the scanner leaves out the
// values of members that are objects, arrays or long strings, and keeps at most maxIDs of the rest.
type idScanner struct {
	kept      []byte
	depth     int // number of open objects and arrays
	deepest   int // depth of a message: 2 in a batch
	inString  bool
	isEscaped bool // whether the previous byte is a backslash in a string
	size      int  // of the open string
}

// idsIn returns the IDs of the requests in a text.
func idsIn(text []byte) [][]byte {
	var s idScanner
	s.Write(text)
	return s.end()
}

// Write reads the next part of the text. It never fails.
func (s *idScanner) Write(part []byte) (int, error) {
	for _, b := range part {
		before := s.depth
		switch {
		case s.isEscaped:
			s.isEscaped = false
		case s.inString:
			s.isEscaped = b == '\\'
			s.inString = b != '"'
		case b == '"':
			s.inString = true
		case b == '{' || b == '[':
			if s.depth++; before == 0 {
				s.deepest = 1
				if b == '[' {
					s.deepest = 2
				}
			}
		case b == '}' || b == ']':
			s.depth = max(s.depth-1, 0)
		}
		if s.size++; !s.inString {
			s.size = 0
		}
		if s.size == maxText {
			b = 0 // makes the string invalid
		}
		if max(before, s.depth) <= s.deepest && s.size <= maxText && len(s.kept) < maxIDs {
			s.kept = append(s.kept, b)
		}
	}
	return len(part), nil
}

// memberOrEnd matches a string, perhaps with the value of the member that it names, or the end of a
// message.
var memberOrEnd = lazy.Regexp(`(?s)("(?:[^"\\]|\\.)*")(\s*:\s*("(?:[^"\\]|\\.)*"|[-+.0-9Ee]+)?)?|[}\]]`)

// end returns the IDs, including the ID of a message without an end. In a message with several IDs,
// the last one counts, as in most decoders.
func (s *idScanner) end() (ids [][]byte) {
	var id []byte
	size := 0
	endMessage := func() {
		if id != nil && isID(id) && wellFormed(withoutHalfPairs(id)) == nil {
			if size += len(id) + costOfID; size <= maxIDs+costOfID {
				ids = append(ids, id)
			}
		}
		id = nil
	}
	for rest := s.kept; ; {
		at := memberOrEnd().FindSubmatchIndex(rest)
		switch {
		case at == nil:
			endMessage()
			return ids
		case at[2] < 0:
			endMessage()
		case at[4] >= 0 && isIDKey(rest[at[2]:at[3]]):
			id = nil
			isCutOff := at[1] == len(rest) && rest[at[1]-1] != '"' // a number could have more digits
			if at[6] >= 0 && !isCutOff {
				id = rest[at[6]:at[7]]
			}
		}
		rest = rest[at[1]:]
	}
}

func isIDKey(token []byte) bool {
	key, ok := text(token)
	return ok && key == "id"
}
