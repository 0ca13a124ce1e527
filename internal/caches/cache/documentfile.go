package cache

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/internal/caches/index"
)

// A fileLayout says where the content is in a document's file. There, it is a JSON
// string, including its quotes.
type fileLayout struct{ contentStart, contentEnd int }

// describe returns the index record of a document, except for the name of its file.
// layout, size in bytes and sum belong to that file.
func describe(doc document.Document, layout fileLayout, size int, sum [sha256.Size]byte) index.Record {
	return index.Record{
		ID:            doc.ID,
		Version:       doc.Version,
		FileSize:      int64(size),
		FileSum:       sum,
		ContentOffset: int64(layout.contentStart),
		ContentLength: int64(layout.contentEnd - layout.contentStart),
		Size:          len(doc.Content),
	}
}

// encodeDocument encodes the file of a document as docs/format.md specifies.
func encodeDocument(e *wire.Encoder, doc document.Document) (layout fileLayout) {
	encodeHead(e, doc.ID, doc.Version, doc.Source)
	layout.contentStart = len(e.Bytes())
	e.Text(doc.Content)
	layout.contentEnd = len(e.Bytes())
	e.Key("metadata")
	e.BeginObject()
	for _, key := range doc.Metadata.Keys() {
		value := doc.Metadata[key]
		e.Key(key)
		if n, ok := value.Number(); ok {
			e.Int(n)
		} else {
			e.String(value.String())
		}
	}
	e.EndObject()
	e.EndObject()
	return layout
}

func encodeHead(e *wire.Encoder, id document.ID, version document.Version, source string) {
	e.BeginObject()
	encodeText(e, "id", string(id))
	encodeText(e, "version", version.String())
	encodeText(e, "source", source)
	e.Key("content")
}

// decodeDocument decodes the bytes of a document's file. To keep only a single copy of
// the content in memory, it decodes the content in place, so data must not be used
// afterwards.
func decodeDocument(data []byte) (doc document.Document, layout fileLayout, err error) {
	d := wire.NewDecoder(data)
	err = decodeObject(d, func(key string) (err error) {
		switch key {
		case "id":
			var id string
			id, err = d.String()
			doc.ID = document.ID(id)
		case "version":
			doc.Version, err = decodeVersion(d)
		case "source":
			doc.Source, err = d.String()
		case "content":
			layout.contentStart = d.Next()
			doc.Content, err = d.TextInPlace()
			layout.contentEnd = d.Next()
			if err == nil && len(doc.Content) > document.MaxSize {
				err = fmt.Errorf("%w: %d bytes, of at most %d", files.ErrTooLarge, len(doc.Content), document.MaxSize)
			}
		case "metadata":
			doc.Metadata, err = decodeMetadata(d)
		default:
			err = d.Skip()
		}
		return err
	}, "id", "version", "source", "content", "metadata")
	return doc, layout, cmp.Or(err, d.End())
}

func decodeMetadata(d *wire.Decoder) (document.Metadata, error) {
	metadata := document.Metadata{}
	err := decodeObject(d, func(key string) (err error) {
		metadata[key], err = decodeValue(d)
		return err
	})
	return metadata, err
}

// metadataAt decodes the metadata in a file that encodeDocument wrote. end is the offset
// where the content ends. If the metadata lacks a key, it returns nothing, because few
// documents of a rebuild contain what decides whether they stay, and decoding takes longer
// than looking for it.
func metadataAt(data []byte, end int64, key string) (document.Metadata, error) {
	if end < 0 || end > int64(len(data)) {
		return nil, errNotAsMade
	}
	rest, found := bytes.CutPrefix(data[end:], []byte(`,"metadata":`))
	if !found {
		return nil, errNotAsMade
	}
	if key != "" && !bytes.Contains(rest, []byte(`"`+key+`":`)) { // a value cannot contain this
		return nil, nil
	}
	return decodeMetadata(wire.NewDecoder(rest))
}

func decodeValue(d *wire.Decoder) (document.Value, error) {
	if d.NextIsString() {
		text, err := d.String()
		return document.Text(text), err
	}
	n, err := d.Int()
	return document.Number(n), err
}
