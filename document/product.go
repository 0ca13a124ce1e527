package document

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Product is what the pages of a cache document, such as next in version 16.4.6. The zero
// Product is unknown. Use [ParseProduct] to fill it from user input.
type Product struct {
	Name    string
	Version string // as the product's authors write it; "" if unknown
}

// maxProduct is the maximum length of a name or a version, in bytes.
const maxProduct = 250

// ParseProduct reads a name, or a name and a version such as next@16.4.6. Neither contains
// spaces or control characters, or is longer than 250 bytes. A name can begin with "@", as in
// @ai-sdk/react@2.0.1. An empty text means no product.
func ParseProduct(text string) (Product, error) {
	p := Product{Name: text}
	if at := strings.LastIndexByte(text, '@'); at > 0 {
		p = Product{text[:at], text[at+1:]}
		if p.Version == "" {
			return Product{}, errors.New("expected a version after @")
		}
	}
	if err := p.Check(); err != nil {
		return Product{}, err
	}
	return p, nil
}

// String returns the product as [ParseProduct] reads it.
func (p Product) String() string {
	if p.Version == "" {
		return p.Name
	}
	return p.Name + "@" + p.Version
}

// Check fails unless [ParseProduct] can return p.
func (p Product) Check() error {
	if p.Name == "" && p.Version != "" {
		return fmt.Errorf("version %s of no product: name the product, too", p.Version)
	}
	if err := checkWord("name", strings.TrimPrefix(p.Name, "@")); err != nil && p.Name != "" {
		return err
	}
	if err := checkWord("version", p.Version); err != nil && p.Version != "" {
		return err
	}
	return nil
}

// checkWord fails unless a text can stand in a line next to other words.
func checkWord(noun, text string) error {
	switch {
	case text == "":
		return fmt.Errorf("the %s is empty", noun)
	case len(text) > maxProduct:
		return fmt.Errorf("the %s is %d bytes long, but at most %d are allowed", noun, len(text), maxProduct)
	case !utf8.ValidString(text):
		return fmt.Errorf("the %s is not UTF-8", noun)
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || breaksLine(r) }):
		return fmt.Errorf("the %s %q contains a space or a control character", noun, text)
	case strings.Contains(text, "@"):
		return fmt.Errorf("the %s %s contains @: expected NAME@VERSION", noun, text)
	}
	return nil
}
