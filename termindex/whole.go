package termindex

// This file reads an index from end to end, for who takes over all of it.

// Documents returns all documents by ordinal. It reads what it needs once, so
// it is cheaper than many calls of Document.
func (x *Index) Documents() ([]Document, error) {
	start, end := x.footer.section(recordsKind)
	records, _, err := x.pages.read(nil, start, end-start)
	if err != nil {
		return nil, err
	}
	start, end = x.footer.section(namesKind)
	names, _, err := x.pages.read(nil, start, end-start)
	if err != nil {
		return nil, err
	}
	words, sizes, err := x.Columns()
	if err != nil {
		return nil, err
	}
	docs := make([]Document, x.Len())
	next := int64(0)
	for i := range docs {
		d, at := decodeRecord(records[i*recordSize:][:recordSize])
		if err := at.within(int64(len(names))); err != nil {
			return nil, err
		}
		if at.start != next { // many copies of one name take more memory than the index
			return nil, invalid("the names of document %d do not come behind those of the one before", i)
		}
		d.nameAs(names[at.start:], at)
		next += at.id + at.file
		d.Words, d.Size = int(words[i]), int(sizes[i])
		if !d.isBounded() {
			return nil, invalid("numbers of document %d are out of bounds", i)
		}
		docs[i] = d
	}
	return docs, nil
}

// Check reads all of the index and fails with [ErrInvalid] if any of it is
// damaged.
func (x *InvertedIndex) Check() error {
	const step = 64 * pageSize
	var buf []byte
	for at := int64(0); at < x.pages.end; at += step {
		var err error
		if _, buf, err = x.pages.read(buf, at, min(step, x.pages.end-at)); err != nil {
			return err
		}
	}
	return nil
}
