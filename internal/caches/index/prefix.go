package index

import "bytes"

// EachWithPrefix calls visit with each term that begins with a prefix, in order, and with
// the number of its postings. A term is only valid during the call. It stops at the first
// error of visit.
func (x *Index) EachWithPrefix(prefix string, visit func(term []byte, postings int) error) error {
	if x.footer.terms == 0 {
		return nil
	}
	wanted := []byte(prefix)
	l := x.NewLookup()
	start, _, err := l.leafOf(wanted)
	if err != nil {
		return err
	}
	_, end, err := l.leafOf(bytes.Repeat([]byte{0xff}, maxTerm+1)) // the last leaf
	for err == nil && start < end {
		if err = l.leaf.begin(&l.levels[len(l.levels)-1], start, end); err != nil {
			break
		}
		for len(l.leaf.rest) > 0 {
			e := l.leaf.next()
			switch {
			case l.leaf.err != nil:
				return l.leaf.err
			case bytes.HasPrefix(l.leaf.text, wanted):
				if err := visit(l.leaf.text, int(e.count)); err != nil {
					return err
				}
			case bytes.Compare(l.leaf.text, wanted) > 0:
				return nil
			}
		}
		start = l.leaf.postings
	}
	return err
}
