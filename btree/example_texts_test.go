package btree_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/coppice-go/coppice/btree"
)

// towns returns a Texts that maps three towns to short descriptions.
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

func ExampleTexts_Has() {
	m := towns()
	defer m.Close()
	fmt.Println(m.Has("ulm"), m.Has("rome"))
	// Output: true false
}

func ExampleTexts_Set() {
	m := towns()
	defer m.Close()
	m.Set("ulm", "in Swabia")
	fmt.Println(m.Get("ulm"))
	// Output: in Swabia true
}

func ExampleTexts_TrySet() {
	m := towns()
	defer m.Close()
	err := m.TrySet("rome", "on the Tiber")
	fmt.Println(m.Len(), err)
	// Output: 4 <nil>
}

func ExampleTexts_GetOrSet() {
	m := towns()
	defer m.Close()
	fmt.Println(m.GetOrSet("ulm", "in Swabia"))
	fmt.Println(m.GetOrSet("rome", "on the Tiber"))
	// Output:
	// on the Danube true
	// on the Tiber false
}

func ExampleTexts_Update() {
	m := towns()
	defer m.Close()
	m.Update("ulm", func(v string, ok bool) string { return v + "!" })
	fmt.Println(m.Get("ulm"))
	// Output: on the Danube! true
}

func ExampleTexts_Delete() {
	m := towns()
	defer m.Close()
	fmt.Println(m.Delete("ulm"), m.Delete("ulm"))
	// Output: true false
}

func ExampleTexts_LoadAndDelete() {
	m := towns()
	defer m.Close()
	fmt.Println(m.LoadAndDelete("ulm"))
	fmt.Println(m.Len())
	// Output:
	// on the Danube true
	// 2
}

func ExampleTexts_PopMax() {
	m := towns()
	defer m.Close()
	town, where, ok := m.PopMax()
	fmt.Println(town, where, ok)
	// Output: ulm on the Danube true
}

func ExampleTexts_DeleteAt() {
	m := towns()
	defer m.Close()
	town, _, ok := m.DeleteAt(1)
	fmt.Println(town, ok, m.Len())
	// Output: jena true 2
}

func ExampleTexts_DeleteRange() {
	m := towns()
	defer m.Close()
	fmt.Println(m.DeleteRange("a", "k"), m.Len())
	// Output: 2 1
}

func ExampleTexts_AppendSorted() {
	m := towns()
	defer m.Close()
	other := btree.Must(btree.NewTexts[string, string](btree.Options{}))
	defer other.Close()
	err := other.AppendSorted(m.All())
	fmt.Println(other.Len(), err)
	// Output: 3 <nil>
}

func ExampleTexts_Len() {
	m := towns()
	defer m.Close()
	fmt.Println(m.Len())
	// Output: 3
}

func ExampleTexts_Clear() {
	m := towns()
	defer m.Close()
	m.Clear()
	fmt.Println(m.Len())
	// Output: 0
}

func ExampleTexts_Close() {
	m := towns()
	fmt.Println(m.Close(), m.Close())
	// Output: <nil> <nil>
}

func ExampleTexts_Clone() {
	m := towns()
	defer m.Close()
	c := btree.Must(m.Clone())
	defer c.Close()
	m.Clear()
	fmt.Println(c.Len())
	// Output: 3
}

func ExampleTexts_Save() {
	m := towns()
	defer m.Close()
	dir, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	fmt.Println(m.Save(filepath.Join(dir, "towns")))
	// Output: <nil>
}

func ExampleTexts_Stats() {
	m := towns()
	defer m.Close()
	s := m.Stats()
	fmt.Println(s.Len, s.Snapshots)
	// Output: 3 0
}

func ExampleTexts_Verify() {
	m := towns()
	defer m.Close()
	fmt.Println(m.Verify())
	// Output: <nil>
}
