package wire

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// Marshal returns v as compact JSON (see [Encoder.Value]).
func Marshal(v any) []byte {
	var e Encoder
	e.Value(v)
	return e.Bytes()
}

// MarshalIndent returns v as JSON, indented by two spaces per level.
func MarshalIndent(v any) []byte {
	e := Indented()
	e.Value(v)
	return e.Bytes()
}

// An Encodable writes itself as a single value.
type Encodable interface{ Encode(e *Encoder) }

// Value writes v:
//
//   - a struct as an object of its exported fields, in order, each with a tag
//     `json:"name"`. The fields of an embedded struct are fields of the outer one.
//     `json:"name,omitzero"` leaves out a zero field. The tag `wire:"literal"` is
//     for a string that is already JSON, such as a decimal number; "" is null.
//   - a slice as an array, a nil slice as [], bytes as a string
//   - a string, an integer or a boolean as itself
//   - a pointer as its target, nil as null
//   - an [Encodable] in its own way, a [fmt.Stringer] as its String
//
// Value panics for every other type. It doesn't support floats, because the
// contract specifies their digits.
func (e *Encoder) Value(v any) { e.value(reflect.ValueOf(v)) }

func (e *Encoder) value(v reflect.Value) {
	if !v.IsValid() || (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && v.IsNil() {
		e.Literal("null")
		return
	}
	if v.NumMethod() > 0 {
		switch v := v.Interface().(type) {
		case Encodable:
			v.Encode(e)
			return
		case fmt.Stringer:
			e.String(v.String())
			return
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		e.value(v.Elem())
	case reflect.Struct:
		e.object(v)
	case reflect.Slice:
		e.slice(v)
	case reflect.String:
		e.String(v.String())
	case reflect.Bool:
		e.Bool(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.Int(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		e.Uint(v.Uint())
	default:
		panic("wire: no JSON for " + v.Type().String())
	}
}

func (e *Encoder) slice(v reflect.Value) {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		e.Text(v.Bytes())
		return
	}
	e.BeginArray()
	for i := range v.Len() {
		e.value(v.Index(i))
	}
	e.EndArray()
}

func (e *Encoder) object(v reflect.Value) {
	e.BeginObject()
	for _, m := range fieldsOf(v.Type()) {
		field := v.FieldByIndex(m.index)
		if m.omitZero && field.IsZero() {
			continue
		}
		e.Key(m.name)
		if m.literal {
			e.Literal(cmp.Or(field.String(), "null"))
		} else {
			e.value(field)
		}
	}
	e.EndObject()
}

// A structField is a field of a struct with its tag.
type structField struct {
	index    []int // for FieldByIndex
	name     string
	omitZero bool
	literal  bool
}

// knownFields caches the []structField of each reflect.Type.
var knownFields sync.Map

func fieldsOf(t reflect.Type) []structField {
	if known, ok := knownFields.Load(t); ok {
		return known.([]structField)
	}
	var fields []structField
	for _, field := range reflect.VisibleFields(t) {
		if field.IsExported() && !field.Anonymous {
			fields = append(fields, fieldOf(field))
		}
	}
	knownFields.Store(t, fields)
	return fields
}

func fieldOf(field reflect.StructField) structField {
	name, option, _ := strings.Cut(field.Tag.Get("json"), ",")
	m := structField{field.Index, name, option == "omitzero", field.Tag.Get("wire") == "literal"}
	if name == "" || option != "" && !m.omitZero || m.literal && field.Type.Kind() != reflect.String {
		panic("wire: bad tag on the field " + field.Name)
	}
	return m
}
