package evaluation

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/selection"
)

// A Topic is a query with an ID.
type Topic struct {
	ID    string // never empty
	Query selection.Query
}

// ParseQueries reads queries, one JSON object per line: {"id": "7", "text": "how to
// install"}. Both members must be strings, and IDs must be unique and not empty.
// ParseQueries ignores other members and blank lines.
//
// Errors begin with name, the name of the file, and the line.
func ParseQueries(name string, data []byte) ([]Topic, error) {
	queries, err := parseTopics(name, data)
	if err == nil && len(queries) == 0 {
		err = fmt.Errorf("%s: there is no query in it", name)
	}
	return queries, err
}

// parseTopics is ParseQueries for a file that may be empty.
func parseTopics(name string, data []byte) (queries []Topic, err error) {
	lines := map[string]int{} // by ID
	err = eachLine(name, data, func(line string, number int) error {
		query, err := parseQuery(line)
		if err != nil {
			return err
		}
		if first, twice := lines[query.ID]; twice {
			return fmt.Errorf("duplicate id %q, first in line %d", query.ID, first)
		}
		lines[query.ID] = number
		queries = append(queries, query)
		return nil
	})
	return queries, err
}

func parseQuery(line string) (Topic, error) {
	var id, text string
	var hasText bool
	d := wire.NewDecoder([]byte(line))
	err := d.Object(func(key string) (err error) {
		switch key {
		case "id":
			id, err = stringOf(d, key)
		case "text":
			text, err = stringOf(d, key)
			hasText = true
		default:
			err = d.Skip()
		}
		return err
	})
	if err := cmp.Or(err, d.End()); err != nil {
		return Topic{}, fmt.Errorf(`%w; write one JSON object per line, such as {"id": "q1", "text": "how to install"}`, err)
	}
	if id == "" {
		return Topic{}, errors.New(`"id" is missing or empty`)
	}
	if !hasText {
		return Topic{}, errors.New(`"text" is missing`)
	}
	query, err := selection.ParseQuery(text)
	return Topic{id, query}, err
}

func stringOf(d *wire.Decoder, key string) (string, error) {
	if !d.NextIsString() {
		return "", fmt.Errorf("%q is not a string", key)
	}
	return d.String()
}
