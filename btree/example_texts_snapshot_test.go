package btree_test

import (
	"fmt"

	"github.com/coppice-go/coppice/btree"
)

// townsBefore returns a Texts that has been cleared, and a snapshot that was taken before that.
func townsBefore() (*btree.Texts[string, string], *btree.TextsSnapshot[string, string]) {
	m := towns()
	s := m.Snapshot()
	m.Clear()
	return m, s
}

func ExampleTextsSnapshot_Close() {
	m, s := townsBefore()
	defer m.Close()
	fmt.Println(s.Close(), m.Stats().Snapshots)
	// Output: <nil> 0
}

func ExampleTextsSnapshot_Get() {
	m, s := townsBefore()
	defer m.Close()
	defer s.Close()
	fmt.Println(s.Get("jena"))
	// Output: on the Saale true
}

func ExampleTextsSnapshot_AppendGet() {
	m, s := townsBefore()
	defer m.Close()
	defer s.Close()
	line, _ := s.AppendGet([]byte("jena is "), "jena")
	fmt.Println(string(line))
	// Output: jena is on the Saale
}

func ExampleTextsSnapshot_View() {
	m, s := townsBefore()
	defer m.Close()
	defer s.Close()
	s.View("bonn", func(value []byte) { fmt.Println(len(value)) })
	// Output: 12
}

func ExampleTextsSnapshot_Has() {
	m, s := townsBefore()
	defer m.Close()
	defer s.Close()
	fmt.Println(s.Has("ulm"), m.Has("ulm"))
	// Output: true false
}

func ExampleTextsSnapshot_Len() {
	m, s := townsBefore()
	defer m.Close()
	defer s.Close()
	fmt.Println(s.Len(), m.Len())
	// Output: 3 0
}

func ExampleTextsSnapshot_All() {
	m, s := townsBefore()
	defer m.Close()
	defer s.Close()
	for town, where := range s.All() {
		fmt.Println(town, "is", where)
	}
	// Output:
	// bonn is on the Rhine
	// jena is on the Saale
	// ulm is on the Danube
}

func ExampleTextsSnapshot_AllBytes() {
	m, s := townsBefore()
	defer m.Close()
	defer s.Close()
	for town, where := range s.AllBytes() {
		fmt.Println(town, len(where))
	}
	// Output:
	// bonn 12
	// jena 12
	// ulm 13
}

func ExampleTextsSnapshot_Keys() {
	m, s := townsBefore()
	defer m.Close()
	defer s.Close()
	for town := range s.Keys() {
		fmt.Println(town)
	}
	// Output:
	// bonn
	// jena
	// ulm
}

func ExampleTextsSnapshot_Values() {
	m, s := townsBefore()
	defer m.Close()
	defer s.Close()
	for where := range s.Values() {
		fmt.Println(where)
	}
	// Output:
	// on the Rhine
	// on the Saale
	// on the Danube
}

func ExampleTextsSnapshot_Backward() {
	m, s := townsBefore()
	defer m.Close()
	defer s.Close()
	for town := range s.Backward() {
		fmt.Println(town)
	}
	// Output:
	// ulm
	// jena
	// bonn
}

func ExampleTextsSnapshot_Range() {
	m, s := townsBefore()
	defer m.Close()
	defer s.Close()
	for town := range s.Range("c", "u") {
		fmt.Println(town)
	}
	// Output: jena
}

func ExampleTextsSnapshot_Ascend() {
	m, s := townsBefore()
	defer m.Close()
	defer s.Close()
	for town := range s.Ascend("c") {
		fmt.Println(town)
	}
	// Output:
	// jena
	// ulm
}

func ExampleTextsSnapshot_Descend() {
	m, s := townsBefore()
	defer m.Close()
	defer s.Close()
	for town := range s.Descend("k") {
		fmt.Println(town)
	}
	// Output:
	// jena
	// bonn
}

func ExampleTextsSnapshot_Min() {
	m, s := townsBefore()
	defer m.Close()
	defer s.Close()
	town, _, ok := s.Min()
	fmt.Println(town, ok)
	// Output: bonn true
}

func ExampleTextsSnapshot_Max() {
	m, s := townsBefore()
	defer m.Close()
	defer s.Close()
	town, _, ok := s.Max()
	fmt.Println(town, ok)
	// Output: ulm true
}

func ExampleTextsSnapshot_Seek() {
	m, s := townsBefore()
	defer m.Close()
	defer s.Close()
	town, _, ok := s.Seek("c")
	fmt.Println(town, ok)
	// Output: jena true
}

func ExampleTextsSnapshot_GetAt() {
	m, s := townsBefore()
	defer m.Close()
	defer s.Close()
	town, _, ok := s.GetAt(1)
	fmt.Println(town, ok)
	// Output: jena true
}

func ExampleTextsSnapshot_Rank() {
	m, s := townsBefore()
	defer m.Close()
	defer s.Close()
	fmt.Println(s.Rank("ulm"))
	// Output: 2
}
