package tokens

import (
	"bytes"
	"encoding/json"
	"io"
)

// Standard reads tokens with encoding/json. Every token causes at least one allocation. The
// zero value is ready for Start.
type Standard struct {
	decoder *json.Decoder
	scratch []byte
	depth   int
	started bool // whether the top-level value has begun
	err     error
}

// Start begins a new text.
func (s *Standard) Start(text []byte) {
	*s = Standard{decoder: json.NewDecoder(bytes.NewReader(text)), scratch: s.scratch}
	s.decoder.UseNumber()
}

// Next returns the next token.
func (s *Standard) Next() (Token, error) {
	if s.err != nil {
		return Token{}, s.err
	}
	var t Token
	t, s.err = s.next()
	return t, s.err
}

func (s *Standard) next() (Token, error) {
	t, err := s.decoder.Token()
	switch {
	case err == io.EOF && s.depth == 0 && s.started:
		return Token{}, nil
	case err == io.EOF:
		return Token{}, io.ErrUnexpectedEOF
	case err != nil:
		return Token{}, err
	case s.depth == 0 && s.started:
		return Token{}, errMore
	}
	s.started = true
	switch t := t.(type) {
	case nil:
		return Token{Kind: Null}, nil
	case bool:
		if t {
			return Token{Kind: True}, nil
		}
		return Token{Kind: False}, nil
	case json.Number:
		s.scratch = append(s.scratch[:0], t...)
		v, err := number(s.scratch)
		return Token{Kind: Number, Value: v}, err
	case string:
		s.scratch = append(s.scratch[:0], t...)
		return Token{Kind: String, Text: s.scratch}, nil
	}
	return s.delimiter(Kind(t.(json.Delim)))
}

// delimiter counts the depth of nesting, because Decoder.Token does not limit it.
func (s *Standard) delimiter(k Kind) (Token, error) {
	if k == EndObject || k == EndArray {
		s.depth--
		return Token{Kind: k}, nil
	}
	s.depth++
	if s.depth > greatestDepth {
		return Token{}, errDepth
	}
	return Token{Kind: k}, nil
}
