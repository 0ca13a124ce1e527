package mcp

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/contextcompiler/context/internal/wire"
)

// A responseLine is a JSON-RPC response. It has a result or an error.
type responseLine struct {
	Version string         `json:"jsonrpc"`
	ID      string         `json:"id" wire:"literal"` // as the client wrote it; "" if it is not known
	Result  wire.Encodable `json:"result,omitzero"`
	Error   *responseError `json:"error,omitzero"`
}

type responseError struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
	Data    string `json:"data,omitzero" wire:"literal"`
}

func resultLine(id []byte, result wire.Encodable) responseLine {
	return responseLine{"2.0", string(id), result, nil}
}

func errorLine(id []byte, failed responseError) responseLine {
	return responseLine{"2.0", string(id), nil, &failed}
}

// jsonText is a value that is JSON already.
type jsonText []byte

// Encode writes the value.
func (t jsonText) Encode(e *wire.Encoder) { e.Literal(string(t)) }

// An callResult is the result of a tool: the result of the SDK, with the answer as
// its content.
type callResult struct {
	result []byte // of the SDK
	answer *resultText
	err    error // of reading result
}

// A textContent is a part of the content of a result.
type textContent struct {
	Type string      `json:"type"`
	Text *resultText `json:"text"`
}

// Encode writes the result. The SDK leaves out isError.
func (c *callResult) Encode(e *wire.Encoder) {
	e.BeginObject()
	d := wire.NewDecoder(c.result)
	c.err = d.Object(func(name string) error {
		value, err := d.Value()
		e.Key(name)
		if name != "content" {
			e.Literal(string(value))
			return err
		}
		e.Value([]textContent{{"text", c.answer}})
		e.Key("isError")
		e.Bool(c.answer.isError)
		return err
	})
	e.EndObject()
}

// asError returns err as a JSON-RPC error. An error without a code means an invalid
// request, for example one before the session has begun, or a cancelled request.
func asError(err error) responseError {
	var coded *jsonrpc.Error
	if errors.As(err, &coded) && coded.Code != 0 {
		return responseError{coded.Code, err.Error(), string(coded.Data)}
	}
	code := int64(jsonrpc.CodeInvalidRequest)
	if errors.Is(err, context.Canceled) {
		code = jsonrpc.CodeInternalError
	}
	return responseError{Code: code, Message: err.Error()}
}
