package cache

import (
	"cmp"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/wire"
)

// encodeDocument writes the bytes of a document's file (docs/format.md).
func encodeDocument(e *wire.Encoder, doc document.Document) {
	e.BeginObject()
	e.Key("id")
	e.String(string(doc.ID))
	e.Key("version")
	e.String(doc.Version.String())
	e.Key("source")
	e.String(doc.Source)
	e.Key("content")
	e.Text(doc.Content)
	e.Key("metadata")
	e.BeginObject()
	for _, key := range doc.Metadata.Keys() {
		e.Key(key)
		encodeValue(e, doc.Metadata[key])
	}
	e.EndObject()
	e.EndObject()
}

func encodeValue(e *wire.Encoder, value document.Value) {
	if n, ok := value.Number(); ok {
		e.Int(n)
		return
	}
	e.String(value.String())
}

// decodeDocument decodes the bytes of a document's file. It uses data up: the
// content is decoded in place, so that a document is in memory once.
func decodeDocument(data []byte) (document.Document, error) {
	var doc document.Document
	d := wire.NewDecoder(data)
	missing := newFieldSet("id", "version", "source", "content", "metadata")
	err := d.Object(func(key string) (err error) {
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
			doc.Content, err = d.TextInPlace()
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
	return doc, err
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
