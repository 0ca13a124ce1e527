package wire

// escapes maps each byte that a JSON string must escape to its escape, and every
// other byte to "".
var escapes = func() (table [256]string) {
	const hex = "0123456789abcdef"
	for b := range 0x20 {
		table[b] = `\u00` + hex[b>>4:b>>4+1] + hex[b&0xf:b&0xf+1]
	}
	table['\b'], table['\f'], table['\n'], table['\r'], table['\t'] = `\b`, `\f`, `\n`, `\r`, `\t`
	table['"'], table['\\'] = `\"`, `\\`
	return table
}()

// isEscaped has the bytes with an escape. It is a sixteenth of the size of escapes.
var isEscaped = func() (is [256]bool) {
	for b, escape := range escapes {
		is[b] = escape != ""
	}
	return is
}()

// appendEscaped appends the text of a JSON string for s. It escapes the quotation
// mark, the backslash and the controls below U+0020, and nothing else.
func appendEscaped[S string | []byte](dst []byte, s S) []byte {
	clean := 0 // s[clean:i] needs no escape and is not yet appended
	for i := range len(s) {
		if isEscaped[s[i]] {
			dst = append(dst, s[clean:i]...)
			dst = append(dst, escapes[s[i]]...)
			clean = i + 1
		}
	}
	return append(dst, s[clean:]...)
}
