package mcp

import (
	"strconv"
	"strings"
)

// accepts reports whether the Accept headers of a request allow a media type, such as
// application/json. Without such a header, a client accepts every type.
func accepts(headers []string, mediaType string) bool {
	all := strings.Join(headers, ",")
	if strings.Trim(all, " \t,") == "" {
		return true
	}
	kind, _, _ := strings.Cut(mediaType, "/")
	ranges := []string{"*", "*/*", kind + "/*", mediaType} // the most specific counts
	closest, isAllowed := -1, false
	for listed := range strings.SplitSeq(all, ",") {
		name, params, _ := strings.Cut(listed, ";")
		for i, r := range ranges {
			if i >= closest && strings.EqualFold(strings.TrimSpace(name), r) {
				isAllowed = hasWeight(params) || i == closest && isAllowed
				closest = i
			}
		}
	}
	return isAllowed
}

// hasWeight reports whether the parameters of a media range allow it: q=0 does not.
func hasWeight(params string) bool {
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(param, "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			return err != nil || q > 0
		}
	}
	return true
}
