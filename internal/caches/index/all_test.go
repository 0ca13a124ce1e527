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
