package store

// AllocText copies text into the store's text region and returns its place. The Text is
// valid until Reset or Close; single texts cannot be deleted. A region has up to
// 4 GiB. AllocText panics if it is full or the store closed. Only one goroutine may call
// it at a time.
func (s *Store[T]) AllocText(text string) Text {
	if err := s.own.usable(); err != nil {
		panic("store.Store.AllocText: " + err.Error())
	}
	c := s.own.core
	t, err := c.texts.put(text, c.account, c.huge)
	if err != nil {
		panic("store.Store.AllocText: " + err.Error())
	}
	return t
}

// TextBytes returns the bytes of a text without a copy. They must not be written, and are
// valid until Reset or Close. It panics if t is no text of this store.
func (s *Store[T]) TextBytes(t Text) []byte {
	return s.own.made("store.Store.TextBytes").text("store.Store.TextBytes", t)
}

// Text returns a copy of a text as a string, which is one allocation. It panics if
// t is no text of this store.
func (s *Store[T]) Text(t Text) string {
	return string(s.own.made("store.Store.Text").text("store.Store.Text", t))
}
