package btree_test

import (
	"fmt"

	"github.com/coppice-go/coppice/btree"
)

// scores returns a ranked map from scores to names.
func scores() *btree.Map[uint64, string8] {
	m := btree.Must(btree.New[uint64, string8](btree.Options{Ranked: true}))
	m.Set(310, string8{'a', 'd', 'a'})
	m.Set(120, string8{'b', 'o', 'b'})
	m.Set(250, string8{'e', 'v', 'e'})
	return m
}

// A string8 is a short string that contains no pointer, so it can be a value of a Map.
type string8 [8]byte

// This example finds the median.
func ExampleMap_GetAt() {
	m := scores()
	defer m.Close()
	k, v, ok := m.GetAt(m.Len() / 2)
	fmt.Printf("%d %s %v\n", k, v[:3], ok)
	// Output: 250 eve true
}

// This example counts the scores below 300, and those from 200 up to but not including 400.
func ExampleMap_Rank() {
	m := scores()
	defer m.Close()
	fmt.Println(m.Rank(300), m.Rank(400)-m.Rank(200))
	// Output: 2 2
}

func ExampleMap_DeleteAt() {
	m := scores()
	defer m.Close()
	k, _, ok := m.DeleteAt(0)
	fmt.Println(k, ok, m.Len())
	// Output: 120 true 2
}

// A snapshot of a ranked map is also ranked, and keeps the ranks of the time when it was taken.
func ExampleSnapshot_GetAt() {
	m := scores()
	defer m.Close()
	s := m.Snapshot()
	defer s.Close()
	m.Clear()
	k, _, ok := s.GetAt(2)
	fmt.Println(k, ok)
	// Output: 310 true
}

func ExampleSnapshot_Rank() {
	m := scores()
	defer m.Close()
	s := m.Snapshot()
	defer s.Close()
	fmt.Println(s.Rank(250))
	// Output: 1
}
