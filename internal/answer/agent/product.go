package agent

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
)

const mostProducts = 20 // listed in an error

// OfProduct returns the caches for a product, such as next, next@16 or next@16.4.6: those with
// the highest version that fits. A version fits if it equals the wanted version. Only if there is
// none, it also fits if it begins with the segments of the wanted version. Several caches can have
// the same version. If no version fits, OfProduct fails with an [ArgumentError] that lists what
// there is. An empty text chooses all caches.
func OfProduct(members []answers.Member, wanted string) ([]answers.Member, error) {
	if wanted == "" {
		return members, nil
	}
	p, err := document.ParseProduct(wanted)
	if err != nil {
		return nil, argumentErrorf("product: %v", err)
	}
	var products []document.Product
	for _, of := range members {
		products = append(products, of.About().Product)
	}
	var chosen []answers.Member
	for _, i := range bestVersions(products, p) {
		chosen = append(chosen, members[i])
	}
	if chosen == nil {
		return nil, unknownProduct(members, p)
	}
	return chosen, nil
}

// bestVersions returns the indices of the products with the highest version that fits.
func bestVersions(products []document.Product, wanted document.Product) (best []int) {
	isAny := wanted.Version == ""
	exact := parseVersionNumber(wanted.Version)
	series := parseVersionNumber(strings.TrimSuffix(strings.TrimSuffix(wanted.Version, ".x"), ".*"))
	for _, fits := range []func(versionNumber) bool{
		func(v versionNumber) bool { return !isAny && exact.compare(v) == 0 && exact.allows(v.build) },
		func(v versionNumber) bool { return isAny || series.names(v) },
	} {
		var highest versionNumber
		for i, p := range products {
			v := parseVersionNumber(p.Version)
			if p.Name != wanted.Name || !fits(v) {
				continue
			}
			switch order := v.compare(highest); {
			case best == nil || order > 0:
				best, highest = []int{i}, v
			case order == 0:
				best = append(best, i)
			}
		}
		if best != nil {
			break
		}
	}
	return best
}

// unknownProduct returns an error with the versions of a product or, if no cache has the product,
// with all products.
func unknownProduct(members []answers.Member, wanted document.Product) error {
	isOther := func(of answers.Member) bool { return of.About().Product.Name != wanted.Name }
	known := slices.DeleteFunc(slices.Clone(members), isOther)
	if len(known) == 0 {
		known = slices.DeleteFunc(slices.Clone(members), func(of answers.Member) bool { return of.About().Product == document.Product{} })
	}
	slices.SortStableFunc(known, func(a, b answers.Member) int {
		x, y := a.About().Product, b.About().Product
		return cmp.Or(strings.Compare(x.Name, y.Name), parseVersionNumber(y.Version).compare(parseVersionNumber(x.Version)))
	})
	var texts []string
	for _, of := range known {
		text := of.About().Product.String()
		if of.Name != "" {
			text += " (" + of.Name + ")"
		}
		texts = append(texts, text)
	}
	if len(texts) == 0 {
		return argumentErrorf("no product %s: no cache names its product, so leave it out", quote(wanted.String()))
	}
	return argumentErrorf("no product %s; expected one of: %s", quote(wanted.String()), few(texts, mostProducts, "more version"))
}

// originOf returns the name of a cache with its product, such as "next-16 (next@16.4.6)". Either
// may be missing.
func originOf(of answers.Member) string {
	product := of.About().Product.String()
	if product == "" || of.Name == "" {
		return of.Name + product
	}
	return fmt.Sprintf("%s (%s)", of.Name, product)
}

// origins adds a line with the products of caches, so the caller can tell versions apart. Without
// products, it adds nothing.
func (a *Answer) origins(members []answers.Member, isUsed func(name string) bool) {
	var used []string
	for _, of := range members {
		if isUsed(of.Name) && of.About().Product.Name != "" {
			used = append(used, originOf(of))
		}
	}
	if len(used) > 0 {
		a.note("from %s", strings.Join(used, " "))
	}
}
