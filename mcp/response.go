package mcp

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/contextcompiler/context/internal/base/wire"
)

// A responseLine is a JSON-RPC response, which contains either a result or an error.
type responseLine struct {
	Version string         `json:"jsonrpc"`
	ID      string         `json:"id" wire:"literal"` // as written by the client; "" if unknown
	Result  wire.Encodable `json:"result,omitzero"`
	Error   *responseError `json:"error,omitzero"`
}

type responseError struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
	Data    string `json:"data,omitzero" wire:"literal"`
}

// answerLine returns the answer to a request, with the text of its tool if it called one.
func answerLine(id []byte, response *jsonrpc.Response, answer *resultText) responseLine {
	switch {
	case response.Error != nil:
		return errorLine(id, asError(response.Error))
	case !answer.done:
		return responseLine{"2.0", string(id), jsonText(response.Result), nil}
	}
	return responseLine{"2.0", string(id), &callResult{response.Result, answer}, nil}
}

func errorLine(id []byte, failed responseError) responseLine {
	return responseLine{"2.0", string(id), nil, &failed}
}

// A jsonText is an already encoded JSON value.
type jsonText []byte

// Encode implements [wire.Encodable].
func (t jsonText) Encode(e *wire.Encoder) { e.Literal(string(t)) }

// A callResult is the SDK's result for a tool, with the text as its content.
type callResult struct {
	result []byte // of the SDK
	answer *resultText
}

// A textContent is a part of a result's content.
type textContent struct {
	Type string      `json:"type"`
	Text *resultText `json:"text"`
}

// Encode implements [wire.Encodable]. It also writes isError, which the SDK leaves out if it is
// false.
func (c *callResult) Encode(e *wire.Encoder) {
	e.BeginObject()
	d := wire.NewDecoder(c.result)
	err := d.Object(func(name string) error {
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
	if err != nil {
		panic("mcp: " + err.Error())
	}
	e.EndObject()
}

// asError returns err as a JSON-RPC error. An error without a code means an invalid or cancelled
// request, for example a request before the handshake.
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
