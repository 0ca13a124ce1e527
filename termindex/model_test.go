package termindex_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/words"
	"github.com/contextcompiler/context/termindex"
)

// This file is the model that indexes are compared with: it counts words with
// the scorer itself, and says what an index answers to everything that it can
// be asked.

var header = termindex.Header{
	CacheVersion: document.VersionOf([]byte("a cache")),
	ManifestSize: 1234,
	Origin:       []byte("by hand"),
}

// describe returns documents of these contents, without their words.
func describe(contents [][]byte) []termindex.Document {
	docs := make([]termindex.Document, len(contents))
	for i, content := range contents {
		version := document.VersionOf(content)
		docs[i] = termindex.Document{
			ID:            document.ID(fmt.Sprintf("docs/%06d.md", i)),
			Version:       version,
			Name:          fmt.Sprintf("%s-%d.json", version.Stem(), i),
			FileSize:      int64(len(content) + 1000 + i),
			FileSum:       sha256.Sum256(append([]byte("file of "), content...)),
			ContentOffset: int64(100 + i%800),
			ContentLength: int64(len(content) + 2),
			Size:          len(content),
		}
	}
	return docs
}

// write writes an index of contents with one collector.
func write(t rapid.TB, contents [][]byte) ([]byte, []termindex.Document) {
	t.Helper()
	docs := describe(contents)
	var c termindex.Collector
	for i, content := range contents {
		docs[i].Words = c.Add(i, content)
	}
	return encode(t, docs, nil, &c), docs
}

func encode(t rapid.TB, docs []termindex.Document, ordinals []int, collectors ...*termindex.Collector) []byte {
	t.Helper()
	return encodeFrom(t, docs, termindex.Sources{Collectors: collectors, Ordinals: ordinals})
}

func encodeFrom(t rapid.TB, docs []termindex.Document, s termindex.Sources) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := termindex.Write(&out, header, docs, s); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// identity keeps every one of so many documents where it is.
func identity(documents int) []int {
	kept := make([]int, documents)
	for i := range kept {
		kept[i] = i
	}
	return kept
}

// rewrite writes an index from what it says itself.
func rewrite(x *termindex.Index) ([]byte, error) {
	h := x.Header()
	docs := make([]termindex.Document, x.Len())
	var err error
	for i := range docs {
		if docs[i], err = x.Document(i); err != nil {
			return nil, err
		}
	}
	if h.Origin, err = x.Origin(); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = termindex.Write(&out, h, docs, termindex.Sources{Previous: &x.InvertedIndex, Kept: identity(len(docs))})
	return out.Bytes(), err
}

func open(t rapid.TB, data []byte) *termindex.Index {
	t.Helper()
	x, err := termindex.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// termsOf returns the terms of contents, each once.
func termsOf(contents [][]byte) map[string]bool {
	terms := map[string]bool{}
	for _, content := range contents {
		for _, word := range words.Split(string(content)) {
			terms[words.Lower(word)] = true
		}
	}
	return terms
}

// postingsOf counts a term in contents.
func postingsOf(contents [][]byte, term string) (postings []termindex.Posting) {
	set := words.SetOf([]string{term})
	for i, content := range contents {
		if n, _ := set.Count(content); n > 0 {
			postings = append(postings, termindex.Posting{Ordinal: uint32(i), Count: uint32(n)})
		}
	}
	return postings
}

// answers asks an index for everything and returns the answers by question. An
// error is no answer, and has to be that the index is invalid.
func answers(t rapid.TB, x *termindex.Index, terms []string) map[string]string {
	t.Helper()
	all := map[string]string{}
	note := func(question string, answer any, err error) {
		switch {
		case err == nil:
			all[question] = fmt.Sprint(answer)
		case !errors.Is(err, termindex.ErrInvalid):
			t.Fatalf("%s: %v", question, err)
		}
	}
	note("header", x.Header(), nil)
	note("length", x.Len(), nil)
	note("number of terms", x.Terms(), nil)
	for i := range x.Len() {
		doc, err := x.Document(i)
		note(fmt.Sprint("document ", i), doc, err)
	}
	w, sizes, err := x.Columns()
	note("columns", fmt.Sprint(w, sizes), err)
	origin, err := x.Origin()
	note("origin", origin, err)
	again, err := rewrite(x)
	note("all of it", sha256.Sum256(again), err)
	for _, term := range terms {
		postings, err := x.AppendPostings(nil, term)
		note("term "+term, postings, err)
	}
	return all
}
