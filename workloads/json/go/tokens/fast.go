package tokens

import (
	"bytes"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Fast reads tokens with github.com/go-json-experiment/json/jsontext, the tokenizer on which
// encoding/json/v2 is built. No token causes an allocation. The zero value is ready for Start.
type Fast struct {
	decoder jsontext.Decoder
	scratch []byte
	started bool // whether the top-level value has begun
	err     error
}

// Start begins a new text.
func (f *Fast) Start(text []byte) {
	// encoding/json uses the last of duplicate keys, and replaces invalid UTF-8.
	f.decoder.Reset(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	f.started, f.err = false, nil
}

// Next returns the next token.
func (f *Fast) Next() (Token, error) {
	k := Kind(f.decoder.PeekKind())
	if f.started && f.decoder.StackDepth() == 0 {
		return f.end()
	}
	f.started = true
	switch k {
	case String, Number:
		text, err := f.decoder.ReadValue()
		if err != nil {
			return Token{}, cut(err)
		}
		if k == String {
			return Token{Kind: String, Text: f.unquote(text)}, nil
		}
		v, err := number(text)
		return Token{Kind: Number, Value: v}, err
	}
	_, err := f.decoder.ReadToken()
	return Token{Kind: k}, cut(err)
}

// end returns the End token, or an error if there is more text.
func (f *Fast) end() (Token, error) {
	if f.err != nil {
		return Token{}, f.err
	}
	_, err := f.decoder.ReadToken()
	switch {
	case err == io.EOF:
		return Token{}, nil
	case err == nil:
		err = errMore
	}
	f.err = err
	return Token{}, err
}

// cut replaces io.EOF with io.ErrUnexpectedEOF, for a text that ends where a value should be.
func cut(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// unquote decodes a valid JSON string.
func (f *Fast) unquote(text []byte) []byte {
	if bytes.IndexByte(text, '\\') < 0 && utf8.Valid(text) {
		return text[1 : len(text)-1]
	}
	// The only error is invalid UTF-8, which is replaced anyway.
	f.scratch, _ = jsontext.AppendUnquote(f.scratch[:0], text)
	return f.scratch
}
