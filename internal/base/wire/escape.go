package wire

// escapes maps each byte that must be escaped in a JSON string to its escape,
// and all other bytes to "".
var escapes = func() (table [256]string) {
	const hex = "0123456789abcdef"
	for b := range 0x20 {
		table[b] = `\u00` + hex[b>>4:b>>4+1] + hex[b&0xf:b&0xf+1]
	}
	table['\b'], table['\f'], table['\n'], table['\r'], table['\t'] = `\b`, `\f`, `\n`, `\r`, `\t`
	table['"'], table['\\'] = `\"`, `\\`
	return table
}()

// isEscaped says which bytes need an escape, in a sixteenth of the size of escapes.
var isEscaped = func() (is [256]bool) {
	for b, escape := range escapes {
		is[b] = escape != ""
	}
	return is
}()

// appendEscaped appends s as the text of a JSON string. It only escapes quotation
// marks, backslashes and the control characters below U+0020.
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
