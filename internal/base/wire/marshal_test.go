package wire_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/base/wire"
)

// A named is a Stringer for us and for encoding/json.
type named int

func (n named) String() string               { return fmt.Sprintf("n<%d>", int(n)) }
func (n named) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// A pair writes itself.
type pair struct{ left, right int }

func (p pair) Encode(e *wire.Encoder) {
	e.BeginArray()
	e.Int(int64(p.left))
	e.Int(int64(p.right))
	e.EndArray()
}

func (p pair) MarshalJSON() ([]byte, error) { return json.Marshal([]int{p.left, p.right}) }

type word string

type counts struct {
	Many uint64 `json:"many"`
	Few  int8   `json:"few,omitzero"`
}

// A report has a field of every kind allowed in reports.
type report struct {
	Text  string `json:"text"`
	Word  word   `json:"word,omitzero"`
	Whole int64  `json:"whole"`
	counts
	Yes   bool     `json:"yes"`
	Name  named    `json:"name"`
	Pair  pair     `json:"pair"`
	Any   any      `json:"any"`
	Words []word   `json:"words"`
	Pairs []pair   `json:"pairs,omitzero"`
	Next  *report  `json:"next,omitzero"`
	Maybe *named   `json:"maybe"`
	All   []report `json:"all"`
}

func drawReport(t *rapid.T, depth int) report {
	text := rapid.String()
	number := rapid.Int()
	r := report{
		Text:   text.Draw(t, "text"),
		Word:   word(rapid.StringN(0, 2, -1).Draw(t, "word")),
		Whole:  rapid.Int64().Draw(t, "whole"),
		counts: counts{rapid.Uint64().Draw(t, "many"), rapid.Int8().Draw(t, "few")},
		Yes:    rapid.Bool().Draw(t, "yes"),
		Name:   named(number.Draw(t, "name")),
		Pair:   pair{number.Draw(t, "left"), number.Draw(t, "right")},
		Any:    rapid.SampledFrom([]any{nil, 1, "a", named(2), &pair{3, 4}}).Draw(t, "any"),
		Words:  []word{},
		All:    []report{},
	}
	for _, w := range rapid.SliceOfN(text, 0, 3).Draw(t, "words") {
		r.Words = append(r.Words, word(w))
		r.Pairs = append(r.Pairs, r.Pair)
	}
	if rapid.Bool().Draw(t, "maybe") {
		r.Maybe = &r.Name
	}
	if depth > 0 && rapid.Bool().Draw(t, "next") {
		next := drawReport(t, depth-1)
		r.Next = &next
	}
	for depth > 0 && len(r.All) < 3 && rapid.Bool().Draw(t, "more") {
		r.All = append(r.All, drawReport(t, depth-1))
	}
	return r
}

// The result of Marshal means the same as the result of encoding/json, and the Decoder reads every
// byte of it.
func TestMarshalMeansWhatEncodingJSONMeans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawReport(t, 2)
		reference, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		want := parse(t, reference)
		for _, got := range [][]byte{wire.Marshal(r), wire.MarshalIndent(&r)} {
			if parsed := parse(t, got); !reflect.DeepEqual(parsed, want) {
				t.Fatalf("got %s, want %s", got, reference)
			}
		}
		if again := copyOf(t, wire.Marshal(r), new(wire.Encoder)); !bytes.Equal(again, wire.Marshal(r)) {
			t.Fatalf("read and written again: got %s, want %s", again, wire.Marshal(r))
		}
		if again := copyOf(t, wire.Marshal(r), wire.Indented()); !bytes.Equal(again, wire.MarshalIndent(r)) {
			t.Fatalf("read and written again: got %s, want %s", again, wire.MarshalIndent(r))
		}
	})
}

func parse(t *rapid.T, data []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return v
}

// copyOf reads data and writes it with e.
func copyOf(t *rapid.T, data []byte, e *wire.Encoder) []byte {
	d := wire.NewDecoder(data)
	var value func() error
	value = func() error {
		text, err := wire.NewDecoder(data[d.Next():]).Value() // a look ahead
		if err != nil {
			return err
		}
		switch text[0] {
		case '{':
			e.BeginObject()
			defer e.EndObject()
			return d.Object(func(key string) error { e.Key(key); return value() })
		case '[':
			e.BeginArray()
			defer e.EndArray()
			return d.Array(value)
		case '"':
			s, err := d.String()
			e.String(s)
			return err
		}
		e.Literal(string(text))
		return d.Skip()
	}
	if err := value(); err != nil {
		t.Fatal(err)
	}
	if err := d.End(); err != nil {
		t.Fatal(err)
	}
	return e.Bytes()
}

func TestMarshalWritesOurBytes(t *testing.T) {
	type small struct {
		Score string   `json:"score" wire:"literal"`
		None  string   `json:"none" wire:"literal"`
		Left  word     `json:"left,omitzero" wire:"literal"`
		Text  []byte   `json:"text"`
		Nil   []int    `json:"nil"`
		Inner struct{} `json:"inner"`
	}
	for _, tc := range []struct {
		v    any
		want string
	}{
		{nil, "null"},
		{(*small)(nil), "null"},
		{small{Score: "0.5", Text: []byte("<\u2028\">")}, "{\"score\":0.5,\"none\":null,\"text\":\"<\u2028\\\">\",\"nil\":[],\"inner\":{}}"},
		{[]*named{nil}, "[null]"},
		{[]any{named(1), pair{1, 2}, uint8(3), "a"}, `["n<1>",[1,2],3,"a"]`},
	} {
		if got := string(wire.Marshal(tc.v)); got != tc.want {
			t.Errorf("%#v: got %s, want %s", tc.v, got, tc.want)
		}
	}
}

func TestMarshalPanicsForWhatItDoesNotKnow(t *testing.T) {
	type untagged struct{ A int }
	type misspelt struct {
		A int `json:"a,omitempty"`
	}
	type number struct {
		A int `json:"a" wire:"literal"`
	}
	for _, v := range []any{1.5, number{}, map[string]int{}, [2]int{}, func() {}, untagged{}, misspelt{}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%T: got no panic", v)
				}
			}()
			wire.Marshal(v)
		}()
	}
}
