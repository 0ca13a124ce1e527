package sections

import (
	"strings"

	"github.com/contextcompiler/context/internal/pages/markdown"
)

// verbsOfDefinitions are the verbs after the subject of a definition.
var verbsOfDefinitions = map[string]bool{
	"is": true, "are": true, "means": true, "represents": true, "refers": true, "describes": true,
}

// mostInSubject is the most words of a subject, including an article.
const mostInSubject = 3

// Subjects returns the subjects defined by the sentences of a section, as written in the page: the
// few words before the verb.
func (s Section) Subjects() (subjects []string) {
	const longest = 200 // bytes of a sentence to search
	for sentence := range markdown.Sentences(s.Text, s.Fence) {
		text := string(sentence.Text[:min(len(sentence.Text), longest)])
		fields := strings.Fields(text)
		for i, word := range fields[:min(len(fields), mostInSubject+1)] {
			if i > 0 && verbsOfDefinitions[word] {
				subjects = append(subjects, strings.Join(fields[:i], " "))
				break
			}
		}
	}
	return subjects
}
