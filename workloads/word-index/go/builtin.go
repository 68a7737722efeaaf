package main

// builtin is Go's own map.
type builtin map[string]int

func newBuiltin(int) (index, error) { return builtin{}, nil }

func (b builtin) add(word string) { b[word]++ }

func (b builtin) count(word string) int { return b[word] }

func (builtin) close() error { return nil }
