package btree_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/coppice-go/coppice/btree"
)

// towns returns what is said of three towns.
func towns() *btree.Texts[string, string] {
	m := btree.Must(btree.NewTexts[string, string](btree.Options{Ranked: true}))
	m.Set("ulm", "on the Danube")
	m.Set("bonn", "on the Rhine")
	m.Set("jena", "on the Saale")
	return m
}

func ExampleNewTexts() {
	m := btree.Must(btree.NewTexts[int, []byte](btree.Options{}))
	defer m.Close()
	m.Set(1290, []byte("a house of two floors"))
	v, ok := m.Get(1290)
	fmt.Println(string(v), ok)
	// Output: a house of two floors true
}

func ExampleOpenTextsFile() {
	dir, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "towns")
	m := towns()
	defer m.Close()
	if err := m.Save(path); err != nil {
		fmt.Println(err)
		return
	}
	opened := btree.Must(btree.OpenTextsFile[string, string](path, btree.Options{}))
	defer opened.Close()
	fmt.Println(opened.Get("ulm"))
	// Output: on the Danube true
}

func ExampleTexts_Get() {
	m := towns()
	defer m.Close()
	fmt.Println(m.Get("jena"))
	// Output: on the Saale true
}

func ExampleTexts_AppendGet() {
	m := towns()
	defer m.Close()
	line, _ := m.AppendGet([]byte("jena is "), "jena")
	fmt.Println(string(line))
	// Output: jena is on the Saale
}

func ExampleTexts_View() {
	m := towns()
	defer m.Close()
	m.View("bonn", func(value []byte) { fmt.Println(len(value)) })
	// Output: 12
}

func ExampleTexts_Compute() {
	m := towns()
	defer m.Close()
	v, ok := m.Compute("ulm", func(old string, loaded bool) (string, btree.ComputeOp) {
		return old + ", in Swabia", btree.UpdateOp
	})
	fmt.Println(v, ok)
	// Output: on the Danube, in Swabia true
}

func ExampleTexts_All() {
	m := towns()
	defer m.Close()
	for town, where := range m.All() {
		fmt.Println(town, "is", where)
	}
	// Output:
	// bonn is on the Rhine
	// jena is on the Saale
	// ulm is on the Danube
}

func ExampleTexts_Range() {
	m := towns()
	defer m.Close()
	for town := range m.Range("c", "u") {
		fmt.Println(town)
	}
	// Output: jena
}

func ExampleTexts_PopMin() {
	m := towns()
	defer m.Close()
	town, where, ok := m.PopMin()
	fmt.Println(town, where, ok, m.Len())
	// Output: bonn on the Rhine true 2
}

func ExampleTexts_GetAt() {
	m := towns()
	defer m.Close()
	town, _, _ := m.GetAt(1)
	fmt.Println(town, m.Rank("ulm"))
	// Output: jena 2
}

func ExampleTexts_Snapshot() {
	m := towns()
	defer m.Close()
	s := m.Snapshot()
	defer s.Close()
	m.Set("ulm", "between Stuttgart and Munich")
	fmt.Println(s.Get("ulm"))
	fmt.Println(m.Get("ulm"))
	// Output:
	// on the Danube true
	// between Stuttgart and Munich true
}
