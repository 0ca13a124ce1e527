package agent

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestSentence is how many bytes of a sentence are printed at most.
const longestSentence = 280

// stride is about how many bytes apart the compared parts of a long sentence begin. If parts
// began at every word, each word would cost the analysis of 280 bytes.
const stride = longestSentence / 8

// cut returns the part of a long sentence with the best answer. It only cuts between pieces.
func (q question) cut(sentence string) string {
	if len(sentence) <= longestSentence {
		return sentence
	}
	pieces := piecesOf(sentence)
	best, most := "", uint64(0)
	skipped := stride // bytes since the part before
	for first, piece := range pieces {
		if skipped += len(piece); skipped < stride {
			continue
		}
		skipped = 0
		part, isEnd := joinUpTo(pieces[first:], longestSentence)
		if first > 0 {
			part = "… " + part
		}
		if !isEnd {
			part += " …"
		}
		if worth := q.worth(part); worth > most || best == "" {
			best, most = part, worth
		}
		if isEnd {
			break
		}
	}
	return best
}

// piecesOf splits a text where it can be cut: at spaces, but neither in a code span nor after a
// number, because its unit may follow. However, it also cuts pieces too long for a quote.
func piecesOf(text string) (pieces []string) {
	open := "" // the backticks at the start of a code span
	for _, word := range strings.Fields(text) {
		last := len(pieces) - 1
		joined := false
		if last >= 0 && len(pieces[last])+1+len(word) <= longestSentence {
			joined = open != "" || endsInNumber(pieces[last])
		}
		if joined {
			pieces[last] += " " + word
		} else {
			pieces = append(pieces, word)
			open = ""
		}
		open = openAfter(word, open)
	}
	return pieces
}

// openAfter returns the backticks of the code span still open after a word, or "". open is the same
// for the position before the word.
func openAfter(word, open string) string {
	for rest := word; ; {
		at := strings.IndexByte(rest, '`')
		if at < 0 {
			return open
		}
		rest = rest[at:]
		n := len(rest) - len(strings.TrimLeft(rest, "`"))
		switch open {
		case "":
			open = rest[:n]
		case rest[:n]:
			open = ""
		}
		rest = rest[n:]
	}
}

// endsInNumber reports whether the last word of a text is a number, such as "47" or
// "`1,000`".
func endsInNumber(text string) bool {
	word := text[strings.LastIndexByte(text, ' ')+1:]
	word = strings.TrimFunc(word, func(r rune) bool { return strings.ContainsRune("`\"'*_(~<>=≤≥±", r) })
	last, _ := utf8.DecodeLastRuneInString(word)
	return unicode.IsDigit(last) && strings.TrimLeft(word, "+-0123456789.,_") == ""
}

// joinUpTo joins the first pieces, up to n bytes. It clips the first piece if even this is longer.
// isEnd reports whether the text includes all pieces.
func joinUpTo(pieces []string, n int) (text string, isEnd bool) {
	text = clip(pieces[0], n)
	for _, piece := range pieces[1:] {
		if len(text)+1+len(piece) > n {
			return text, false
		}
		text += " " + piece
	}
	return text, true
}
