package describe

import (
	"path"
	"regexp"
)

// This file reads the manifests that are programs, or a format of their own, by
// the lines that they usually have.

var (
	goModule     = regexp.MustCompile(`(?m)^module[ \t]+["` + "`" + `]?([^\s"` + "`" + `]+)`)
	majorVersion = regexp.MustCompile(`/v[0-9]+$|\.v[0-9]+$`)
)

func readGoMod(content []byte) manifest {
	module := majorVersion.ReplaceAllString(group(goModule, string(content)), "")
	if module == "" {
		return manifest{}
	}
	return manifest{name: path.Base(module)}
}

var (
	setupName        = regexp.MustCompile(`(?m)^name[ \t]*=[ \t]*(\S.*)$`)
	setupDescription = regexp.MustCompile(`(?m)^(?:description|summary)[ \t]*=[ \t]*(\S.*)$`)
)

func readSetupCfg(content []byte) manifest {
	return manifest{name: group(setupName, string(content)), description: group(setupDescription, string(content))}
}

var (
	setupCallName        = regexp.MustCompile(`(?m)(?:^|[(,])\s*(?:name|NAME)\s*=\s*["']([^"'{}]+)["']`)
	setupCallDescription = regexp.MustCompile(`(?m)(?:^|[(,])\s*description\s*=\s*\(?\s*["']([^"'\n{}]+)["']`)
)

// readSetupPy reads the arguments that are literals, and the name that stands in
// a constant.
func readSetupPy(content []byte) manifest {
	return manifest{name: group(setupCallName, string(content)), description: group(setupCallDescription, string(content))}
}

// group returns the first group of the first match, or "".
func group(pattern *regexp.Regexp, text string) string {
	if match := pattern.FindStringSubmatch(text); match != nil {
		return match[1]
	}
	return ""
}

// groups returns the first group of each match.
func groups(pattern *regexp.Regexp, text string) (found []string) {
	for _, match := range pattern.FindAllStringSubmatch(text, -1) {
		found = append(found, match[1])
	}
	return found
}
