package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/base/wire"
)

func TestStringsEscapeOnlyWhatJSONMustHaveEscaped(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"", `""`},
		{"plain", `"plain"`},
		{`say "hi" \o/`, `"say \"hi\" \\o/"`},
		{"\b\f\n\r\t", `"\b\f\n\r\t"`},
		{"\x00\x01\x1b\x1f", `"\u0000\u0001\u001b\u001f"`},
		{"<&>\x7f\u2028\u2029\ufeff", "\"<&>\x7f\u2028\u2029\ufeff\""},
		{"naïve 日本 🎉", `"naïve 日本 🎉"`},
	} {
		var e wire.Encoder
		e.String(tc.in)
		if got := string(e.Bytes()); got != tc.want {
			t.Errorf("%q: got %s, want %s", tc.in, got, tc.want)
		}
		e.Reset()
		e.Text([]byte(tc.in))
		if got := string(e.Bytes()); got != tc.want {
			t.Errorf("%q as bytes: got %s, want %s", tc.in, got, tc.want)
		}
	}
}

// writeSample writes a value of every kind.
func writeSample(e *wire.Encoder) {
	e.BeginObject()
	e.Key("empty")
	e.BeginObject()
	e.EndObject()
	e.Key("list")
	e.BeginArray()
	e.Int(-1)
	e.Uint(2)
	e.BeginArray()
	e.EndArray()
	e.BeginObject()
	e.Key("yes")
	e.Bool(true)
	e.EndObject()
	e.EndArray()
	e.Key("score")
	e.Literal("0.5")
	e.EndObject()
	e.Newline()
}

func TestEncoderWritesCompactAndIndented(t *testing.T) {
	const compact = `{"empty":{},"list":[-1,2,[],{"yes":true}],"score":0.5}` + "\n"
	var e wire.Encoder
	writeSample(&e)
	if got := string(e.Bytes()); got != compact {
		t.Errorf("compact: got %q, want %q", got, compact)
	}
	var want bytes.Buffer
	if err := json.Indent(&want, []byte(compact), "", "  "); err != nil {
		t.Fatal(err)
	}
	indented := wire.Indented()
	writeSample(indented)
	if got := string(indented.Bytes()); got != want.String() {
		t.Errorf("indented: got %q, want %q", got, want.String())
	}
}

func TestAnEncoderThatWritesAsItGoesWritesTheSame(t *testing.T) {
	long := bytes.Repeat([]byte("line\n\"é\""), 50_000)
	write := func(e *wire.Encoder) {
		e.BeginArray()
		for range 3 {
			e.Text(long)
			e.Int(1)
		}
		e.EndArray()
	}
	var whole wire.Encoder
	write(&whole)
	var got bytes.Buffer
	var parts wire.Encoder
	parts.StreamTo(&got)
	write(&parts)
	if err := parts.Close(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), whole.Bytes()) {
		t.Errorf("got %d bytes that differ from the %d in memory", got.Len(), len(whole.Bytes()))
	}
}

// A text remains a single string even if it is cut within a character.
func TestATextMayComeInParts(t *testing.T) {
	const text = "line\n\"é\" end"
	for at := range len(text) + 1 {
		var e wire.Encoder
		e.Text([]byte(text[:at]), nil, []byte(text[at:]))
		if got, want := string(e.Bytes()), `"line\n\"é\" end"`; got != want {
			t.Errorf("cut at %d: got %s, want %s", at, got, want)
		}
	}
	var e wire.Encoder
	if e.Text(); string(e.Bytes()) != `""` {
		t.Errorf("no parts: got %s", e.Bytes())
	}
}

// A value written by an inner Encoder looks as if it had been written in its place.
func TestAnInnerValueFitsInItsPlace(t *testing.T) {
	for _, encoder := range []func() *wire.Encoder{func() *wire.Encoder { return new(wire.Encoder) }, wire.Indented} {
		write := func(list func(*wire.Encoder)) string {
			e := encoder()
			e.BeginArray()
			e.BeginObject()
			e.Key("list")
			list(e)
			e.EndObject()
			e.EndArray()
			return string(e.Bytes())
		}
		for n := range 3 {
			list := func(e *wire.Encoder) {
				e.BeginArray()
				for range n {
					e.String("a")
				}
				e.EndArray()
			}
			want := write(list)
			got := write(func(e *wire.Encoder) {
				inner := e.Inner()
				list(inner)
				e.Literal(string(inner.Bytes()))
			})
			if got != want {
				t.Errorf("%d elements: got %s, want %s", n, got, want)
			}
		}
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestAnEncoderReportsThatItCannotWrite(t *testing.T) {
	var e wire.Encoder
	e.StreamTo(fullDisk{})
	e.Text(make([]byte, 1<<20))
	if e.Err() == nil {
		t.Error("got no error before the end")
	}
	if err := e.Close(); err == nil {
		t.Error("got no error")
	}
}

// decodeString decodes a whole document consisting of a string, in both ways.
func decodeString(t *testing.T, text string) (string, error) {
	t.Helper()
	d := wire.NewDecoder([]byte(text))
	copied, err := d.String()
	if err == nil {
		err = d.End()
	}
	inPlace := wire.NewDecoder([]byte(text))
	placed, errInPlace := inPlace.TextInPlace()
	if errInPlace == nil {
		errInPlace = inPlace.End()
	}
	if (err == nil) != (errInPlace == nil) || err == nil && copied != string(placed) {
		t.Fatalf("%q: String gives %q, %v; TextInPlace gives %q, %v", text, copied, err, placed, errInPlace)
	}
	return copied, err
}

func TestDecoderReadsStrings(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{`""`, ""},
		{`  "a"  `, "a"},
		{`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t"},
		{`"\u00e9\u2028<\u003c>"`, "é\u2028<<>"},
		{`"\ud83c\udf89!"`, "🎉!"},
		{`"\\"`, `\`},
		{`"\\\""`, `\"`},
		{"\"\x7f\u2028\"", "\x7f\u2028"},
	} {
		got, err := decodeString(t, tc.in)
		if err != nil || got != tc.want {
			t.Errorf("%s: got %q, %v, want %q", tc.in, got, err, tc.want)
		}
	}
}

func TestDecoderRefusesBadStrings(t *testing.T) {
	for _, in := range []string{
		``, `"`, `"a`, `"\`, `"\"`, `"\x"`, `"\u12"`, `"\u12g4"`, `"\u+123"`, `"\u12_4"`,
		`"\ud83c"`, `"\ud83cx"`, `"\ud83c\u0041"`, `"\udf89"`,
		"\"\n\"", "\"\x00\"", "\"\xff\"", "\"\xed\xa0\x80\"", `a`, `"a" "b"`, `"a"x`,
	} {
		if got, err := decodeString(t, in); err == nil {
			t.Errorf("%q: got %q, want an error", in, got)
		}
	}
}

func TestDecoderReadsIntegersOnly(t *testing.T) {
	for in, want := range map[string]int64{"0": 0, "-1": -1, " 42 ": 42, "9223372036854775807": 1<<63 - 1} {
		if got, err := wire.NewDecoder([]byte(in)).Int(); err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", in, got, err, want)
		}
	}
	for _, in := range []string{"", "01", "+1", "1.0", "1e3", "9223372036854775808", `"1"`, "--1", "1-"} {
		if got, err := wire.NewDecoder([]byte(in)).Int(); err == nil {
			t.Errorf("%q: got %d, want an error", in, got)
		}
	}
}

func TestDecoderRefusesRepeatedKeys(t *testing.T) {
	var many strings.Builder
	for i := range 20 {
		many.WriteString(`"` + strings.Repeat("k", i+1) + `":0,`)
	}
	for _, in := range []string{`{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, "{" + many.String() + `"kk":1}`} {
		if err := wire.NewDecoder([]byte(in)).Skip(); err == nil {
			t.Errorf("%s: got no error", in)
		}
	}
	if err := wire.NewDecoder([]byte("{" + many.String() + `"K":1}`)).Skip(); err != nil {
		t.Errorf("keys that differ by case: %v", err)
	}
}

func TestSkipIsBoundedInDepth(t *testing.T) {
	deep := strings.Repeat("[", 1_000_000)
	if err := wire.NewDecoder([]byte(deep)).Skip(); err == nil || !strings.Contains(err.Error(), "deep") {
		t.Errorf("got %v, want an error about depth", err)
	}
}

// The Decoder accepts the same input as encoding/json, except for what we refuse on purpose.
func FuzzSkip(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,2.5e-3,true,false,null,"x\n"],"b":{}}`, `[]`, `-0`, `01`, `1.`, `.5`, `1e`, `{"a":1,}`, `[1,]`,
		`nul`, `"\ud800"`, `"\u0000"`, `{"a":1,"a":2}`, "\xef\xbb\xbf1", `[[[[[]]]]]`, `1 2`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		original := bytes.Clone(data)
		d := wire.NewDecoder(data)
		err := d.Skip()
		if err == nil {
			err = d.End()
		}
		if !bytes.Equal(original, data) {
			t.Fatal("Skip changed its input")
		}
		valid := json.Valid(data)
		if err == nil && !valid {
			t.Errorf("accepted %q, which is no JSON", data)
		}
		strict := bytes.ContainsAny(data, `\{`) || bytes.Count(data, []byte("["))+bytes.Count(data, []byte("{")) > 50
		if err != nil && valid && utf8.Valid(data) && !strict {
			t.Errorf("refused %q: %v", data, err)
		}
	})
}

// Whatever a string holds, it survives encoding and decoding.
func FuzzStringRoundTrip(f *testing.F) {
	for _, seed := range []string{"", "a\"b\\c", "\x00\x1f\x7f", "é🎉\u2028", "\\u0041", "\\\\\""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			t.Skip("an Encoder is given only UTF-8")
		}
		var e wire.Encoder
		e.String(s)
		if got, err := decodeString(t, string(e.Bytes())); err != nil || got != s {
			t.Errorf("%q: got %q, %v", s, got, err)
		}
		var reference string
		if err := json.Unmarshal(e.Bytes(), &reference); err != nil || reference != s {
			t.Errorf("%q: encoding/json reads %q, %v", s, reference, err)
		}
	})
}
