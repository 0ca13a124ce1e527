package mcp

import "bytes"

const (
	// maxIDs is the maximum size of the IDs that a scanner returns. An ID takes its length and
	// costOfID; a single ID can have the length maxIDs.
	maxIDs   = maxLine
	costOfID = 32
)

// An idScanner finds the IDs of the requests in a text that the server cannot read. Without them,
// clients could not match the error to a request, and would wait until their own timeout. The text
// may be invalid JSON, a batch, or too long to keep in memory, because the scanner only keeps IDs.
type idScanner struct {
	ids  [][]byte // as JSON texts
	size int      // of ids

	depth     int     // number of open objects and arrays
	outermost [2]byte // how the first two of them begin
	id        []byte  // of the open message; nil if it is unknown
	place     memberPlace
	token     []byte // the string or number at this place, as far as it is needed
	inString  bool
	inNumber  bool
	isEscaped bool // whether the previous byte is a backslash in a string
}

// A memberPlace is a place in a member of a message.
type memberPlace int

const (
	atKey memberPlace = iota
	afterKey
	atID
	elsewhere
)

// idsIn returns the IDs of the requests in a text.
func idsIn(text []byte) [][]byte {
	var s idScanner
	s.Write(text)
	return s.end()
}

// Write reads the next part of the text. It never fails.
func (s *idScanner) Write(part []byte) (int, error) {
	for _, b := range part {
		s.next(b)
	}
	return len(part), nil
}

// end returns the IDs, including the ID of a message without an end.
func (s *idScanner) end() [][]byte {
	s.endMessage()
	return s.ids
}

func (s *idScanner) next(b byte) {
	if s.inString {
		s.nextInString(b)
		return
	}
	if s.inNumber {
		if isNumberByte(b) {
			s.keep(b)
			return
		}
		s.inNumber = false // the end of the text doesn't end a number, because it may cut off digits
		s.id, s.place = bytes.Clone(s.token), elsewhere
	}
	switch b {
	case '"':
		s.inString, s.token = true, s.token[:0]
		s.keep(b)
	case '{', '[':
		if s.depth < len(s.outermost) {
			s.outermost[s.depth] = b
		}
		s.depth++
		s.place = atKey
	case '}', ']':
		if s.inMessage() {
			s.endMessage()
		}
		s.depth = max(s.depth-1, 0)
		s.place = elsewhere
	case ',':
		s.place = atKey
	case ':':
		isID := s.place == afterKey && s.inMessage() && isIDKey(s.token)
		s.place = elsewhere
		if isID { // the last one counts, as in most decoders
			s.id, s.place = nil, atID
		}
	case ' ', '\t', '\n', '\r':
	default:
		if s.place == atID && isNumberByte(b) {
			s.inNumber, s.token = true, append(s.token[:0], b)
			return
		}
		s.place = elsewhere
	}
}

func (s *idScanner) nextInString(b byte) {
	s.keep(b)
	switch {
	case s.isEscaped:
		s.isEscaped = false
	case b == '\\':
		s.isEscaped = true
	case b == '"':
		s.inString = false
		switch s.place {
		case atKey:
			s.place = afterKey
		case atID:
			s.id = bytes.Clone(s.token)
			s.place = elsewhere
		}
	}
}

// inMessage reports whether the innermost object is a message, either alone or in a batch.
func (s *idScanner) inMessage() bool {
	return s.depth == 1 && s.outermost[0] == '{' || s.depth == 2 && string(s.outermost[:]) == "[{"
}

// keep appends a byte to the token, unless nothing needs it: a truncated token isn't valid JSON.
func (s *idScanner) keep(b byte) {
	const longestKey = len(`"\u0069\u0064"`)
	if s.place == atID && len(s.token) < maxIDs || s.place == atKey && len(s.token) < longestKey && s.inMessage() {
		s.token = append(s.token, b)
	}
}

func (s *idScanner) endMessage() {
	id := s.id
	s.id = nil
	if id == nil || !isID(id) || wellFormed(withoutHalfPairs(id)) != nil {
		return
	}
	if s.size += len(id) + costOfID; s.size <= maxIDs+costOfID {
		s.ids = append(s.ids, id)
	}
}

func isIDKey(token []byte) bool {
	key, ok := text(token)
	return ok && key == "id"
}

func isNumberByte(b byte) bool { return bytes.IndexByte([]byte("+-.0123456789Ee"), b) >= 0 }
