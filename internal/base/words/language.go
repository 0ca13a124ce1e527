package words

import (
	"slices"
	"strings"
)

// languages are the ISO 639-1 codes of common languages of documentation, except for codes that are
// more likely topics, such as io, os and ts.
var languages = strings.Fields("ar bg bn ca cs da de el en es et fa fi fr he hi hr hu hy id it ja ka kk ko lt lv ms nb ne nl no pl pt ro ru sk sl sq sr sv ta te th tr uk ur uz vi zh")

// IsLanguage reports whether a directory's name is a language, optionally with a region or
// script, as in ja, pt-BR and zh_Hans. Other names, such as no-auth, are not.
func IsLanguage(directory string) bool {
	code, variant, isVariant := strings.Cut(strings.ReplaceAll(strings.ToLower(directory), "_", "-"), "-")
	switch variant {
	case "hans", "hant", "latn", "cyrl", "419":
	default:
		if isVariant && len(variant) != 2 {
			return false
		}
	}
	return slices.Contains(languages, code)
}
