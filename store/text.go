package store

import "fmt"

// AllocText copies text into the store's string region and returns its position. The Text is valid
// until Reset or Close; strings cannot be deleted individually. A region holds up to 4 GiB.
// AllocText panics if the region is full or the store is closed. Only one goroutine may call
// AllocText at a time.
func (s *Store[T]) AllocText(text string) Text {
	t, err := s.allocText(text)
	if err != nil {
		panic("store.Store.AllocText: " + err.Error())
	}
	return t
}

// TryAllocText is like AllocText but returns an error, which wraps ErrFull, if there is no room.
func (s *Store[T]) TryAllocText(text string) (Text, error) {
	t, err := s.allocText(text)
	if err != nil {
		return Text{}, fmt.Errorf("store.Store.TryAllocText: %w", err)
	}
	return t, nil
}

func (s *Store[T]) allocText(text string) (Text, error) {
	if err := s.own.usable(); err != nil {
		return Text{}, err
	}
	c := s.own.core
	return c.texts.put(text, c.account, c.huge)
}

// TextBytes returns the bytes of a Text without copying them. They must not be written, and are
// valid until Reset or Close. TextBytes panics if t is not a Text of this store.
func (s *Store[T]) TextBytes(t Text) []byte {
	return s.own.made("store.Store.TextBytes").text("store.Store.TextBytes", t)
}

// Text returns a copy of a Text as a string, which takes one allocation. It panics if t is not a
// Text of this store.
func (s *Store[T]) Text(t Text) string {
	return string(s.own.made("store.Store.Text").text("store.Store.Text", t))
}
