package index

import "bytes"

// AllDocuments returns all documents by ordinal.
func (x *Index) AllDocuments() (docs []Record, err error) {
	for d, err := range x.eachRecord {
		if err != nil {
			return nil, err
		}
		docs = append(docs, *d)
	}
	return docs, nil
}

// AllSections returns the sections of each document, or nothing for selection 0. Because
// it reads each part only once, it is cheaper than calling Section and Slug for each.
func (x *Index) AllSections() (all [][]SectionRecord, err error) {
	for page, err := range x.EachPage() {
		if err != nil {
			return nil, err
		}
		page = append([]SectionRecord(nil), page...)
		for i := range page {
			page[i].Sketch = bytes.Clone(page[i].Sketch)
		}
		all = append(all, page)
	}
	return all, nil
}

// AppendPostings is the same as [Lookup.AppendPostings] for a single term.
func (x *Index) AppendPostings(dst []Posting, term string) ([]Posting, error) {
	return x.NewLookup().AppendPostings(dst, term)
}

// AppendPostings appends the postings of a term to dst, sorted by ordinal. It appends
// nothing if the index doesn't contain the term.
func (l *Lookup) AppendPostings(dst []Posting, term string) ([]Posting, error) {
	e, err := l.find(stored([]byte(term)))
	if err != nil || e.count == 0 {
		return dst, err
	}
	var b []byte
	if b, l.buf, err = l.index.blocks.read(l.buf, e.postings, e.size); err != nil {
		return dst, err
	}
	return decodePostings(dst, b, e.count, l.index.footer.ordinals())
}
