package cache

import (
	"cmp"
	"crypto/sha256"
	"fmt"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/index"
	"github.com/contextcompiler/context/internal/wire"
)

// A fileLayout says where in a document's file its content is, as a JSON string
// with its quotes.
type fileLayout struct{ contentStart, contentEnd int }

// describe returns what the index says of a document whose file has that layout,
// size in bytes and SHA-256. It leaves out the name of the file.
func describe(doc document.Document, layout fileLayout, size int, sum [sha256.Size]byte) index.Document {
	return index.Document{
		ID:            doc.ID,
		Version:       doc.Version,
		FileSize:      int64(size),
		FileSum:       sum,
		ContentOffset: int64(layout.contentStart),
		ContentLength: int64(layout.contentEnd - layout.contentStart),
		Size:          len(doc.Content),
	}
}

// encodeDocument encodes the bytes of a document's file (docs/format.md) and
// returns where in them the content is.
func encodeDocument(e *wire.Encoder, doc document.Document) (layout fileLayout) {
	encodeHead(e, doc.ID, doc.Version, doc.Source)
	layout.contentStart = len(e.Bytes())
	e.Text(doc.Content)
	layout.contentEnd = len(e.Bytes())
	e.Key("metadata")
	e.BeginObject()
	for _, key := range doc.Metadata.Keys() {
		e.Key(key)
		encodeValue(e, doc.Metadata[key])
	}
	e.EndObject()
	e.EndObject()
	return layout
}

// encodeHead writes what comes before the content.
func encodeHead(e *wire.Encoder, id document.ID, version document.Version, source string) {
	e.BeginObject()
	e.Key("id")
	e.String(string(id))
	e.Key("version")
	e.String(version.String())
	e.Key("source")
	e.String(source)
	e.Key("content")
}

func encodeValue(e *wire.Encoder, value document.Value) {
	if n, ok := value.Number(); ok {
		e.Int(n)
		return
	}
	e.String(value.String())
}

// decodeDocument decodes the bytes of a document's file, and returns where in
// them the content was. It uses data up: the content is decoded in place, so that
// a document is in memory once.
func decodeDocument(data []byte) (doc document.Document, layout fileLayout, err error) {
	d := wire.NewDecoder(data)
	missing := newFieldSet("id", "version", "source", "content", "metadata")
	err = d.Object(func(key string) (err error) {
		missing.remove(key)
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
				err = fmt.Errorf("%w: %d bytes, of at most %d", errTooLarge, len(doc.Content), document.MaxSize)
			}
		case "metadata":
			doc.Metadata, err = decodeMetadata(d)
		default:
			err = d.Skip()
		}
		return within(key, err)
	})
	if err == nil {
		err = cmp.Or(d.End(), missing.err())
	}
	return doc, layout, err
}

func decodeMetadata(d *wire.Decoder) (document.Metadata, error) {
	metadata := document.Metadata{}
	err := d.Object(func(key string) (err error) {
		metadata[key], err = decodeValue(d)
		return within(key, err)
	})
	return metadata, err
}

func decodeValue(d *wire.Decoder) (document.Value, error) {
	if d.NextIsString() {
		text, err := d.String()
		return document.Text(text), err
	}
	n, err := d.Int()
	return document.Number(n), err
}
