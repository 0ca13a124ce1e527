package describe

import (
	"path"
	"regexp"
	"strings"
)

// This file reads the manifests that are programs, or a format of their own, by
// the lines that they usually have.

var majorVersion = regexp.MustCompile(`/v[0-9]+$|\.v[0-9]+$`)

func readGoMod(content []byte) manifest {
	var m manifest
	for line := range strings.SplitSeq(string(content), "\n") {
		line, comment, _ := strings.Cut(line, "//")
		words := strings.Fields(line)
		switch {
		case len(words) == 2 && words[0] == "module":
			m.name = path.Base(majorVersion.ReplaceAllString(strings.Trim(words[1], "\"`"), ""))
		case strings.Contains(comment, "indirect"):
		case len(words) == 3 && words[0] == "require":
			m.dependencies = append(m.dependencies, words[1])
		case len(words) == 2 && strings.HasPrefix(words[1], "v"):
			m.dependencies = append(m.dependencies, words[0])
		}
	}
	return m
}

var requirement = regexp.MustCompile(`^\s*([A-Za-z0-9][A-Za-z0-9._-]*)`)

// requirementName returns the package that a Python requirement is about.
func requirementName(line string) string {
	if match := requirement.FindStringSubmatch(line); match != nil {
		return match[1]
	}
	return ""
}

func readRequirements(content []byte) (m manifest) {
	for line := range strings.SplitSeq(string(content), "\n") {
		if name := requirementName(line); name != "" {
			m.dependencies = append(m.dependencies, name)
		}
	}
	return m
}

var (
	setupName         = regexp.MustCompile(`(?m)^name[ \t]*=[ \t]*(\S.*)$`)
	setupDescription  = regexp.MustCompile(`(?m)^(?:description|summary)[ \t]*=[ \t]*(\S.*)$`)
	setupRequirements = regexp.MustCompile(`(?m)^install_requires[ \t]*=((?:.*\n[ \t]+\S.*)*)`)
)

func readSetupCfg(content []byte) manifest {
	m := readRequirements([]byte(group(setupRequirements, content)))
	m.name, m.description = group(setupName, content), group(setupDescription, content)
	return m
}

var (
	setupCallName        = regexp.MustCompile(`(?m)^\s*name\s*=\s*["']([^"'{}]+)["']`)
	setupCallDescription = regexp.MustCompile(`(?m)^\s*description\s*=\s*\(?\s*["']([^"'\n{}]+)["']`)
)

// readSetupPy reads the arguments that are literals.
func readSetupPy(content []byte) manifest {
	return manifest{name: group(setupCallName, content), description: group(setupCallDescription, content)}
}

// group returns what the first group of the first match holds, or else "".
func group(pattern *regexp.Regexp, content []byte) string {
	if match := pattern.FindSubmatch(content); match != nil {
		return string(match[1])
	}
	return ""
}

// groups returns what the first group of each match holds.
func groups(pattern *regexp.Regexp, content []byte) (found []string) {
	for _, match := range pattern.FindAllSubmatch(content, -1) {
		found = append(found, string(match[1]))
	}
	return found
}

var (
	pubName         = regexp.MustCompile(`(?m)^name:[ \t]*["']?([\w]+)`)
	pubDescription  = regexp.MustCompile(`(?m)^description:[ \t]*(?:[>|]-?[ \t]*\n[ \t]+)?["']?([^"'\s>|].*(?:\n[ \t]+\S.*)*)`)
	pubDependencies = regexp.MustCompile(`(?m)^dependencies:[ \t]*\n((?:(?:[ \t]+\S.*|[ \t]*)\n)*)`)
	pubDependency   = regexp.MustCompile(`(?m)^  (\w+):`)
)

// readPubspec does without a parser of YAML, which takes minutes for some files.
func readPubspec(content []byte) manifest {
	return manifest{
		name:         group(pubName, content),
		description:  strings.TrimRight(group(pubDescription, content), `"'`),
		dependencies: groups(pubDependency, []byte(group(pubDependencies, content))),
	}
}

var (
	gemName    = regexp.MustCompile(`\.name\s*=\s*["']([^"'#]+)["']`)
	gemSummary = regexp.MustCompile(`\.(?:summary|description)\s*=\s*(?:%q[{(])?["']?([^"'{}()\n<#][^"'{}()\n]*)["'})]`)
	gemDepends = regexp.MustCompile(`\.add_(?:runtime_)?dependency[ (]+["']([^"']+)["']`)
	gemfileGem = regexp.MustCompile(`(?m)^\s*gem[ (]+["']([^"']+)["']`)
)

func readGemspec(content []byte) manifest {
	return manifest{
		name:         group(gemName, content),
		description:  group(gemSummary, content),
		dependencies: groups(gemDepends, content),
	}
}

func readGemfile(content []byte) manifest {
	return manifest{dependencies: groups(gemfileGem, content)}
}

var (
	gradleName        = regexp.MustCompile(`(?m)^\s*rootProject\.name\s*=\s*["']([^"'$]+)["']`)
	gradleDescription = regexp.MustCompile(`(?m)^description\s*=?\s*["']([^"'$]+)["']`)
	gradlePlugin      = regexp.MustCompile(`\bid[ (]+["']([^"']+)["']`)
	gradleArtifact    = regexp.MustCompile(`["'][\w.-]+:([\w.-]+)(?::[^"']*)?["']`)
)

func readGradle(content []byte) manifest {
	return manifest{
		name:         group(gradleName, content),
		description:  group(gradleDescription, content),
		dependencies: append(groups(gradlePlugin, content), groups(gradleArtifact, content)...),
	}
}
