package hashmap_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/coppice-go/coppice/hashmap"
)

func ExampleNewTexts() {
	type place struct{ Country, City string }
	m := hashmap.Must(hashmap.NewTexts[place, []byte](hashmap.Options{}))
	defer m.Close()
	m.Set(place{"de", "ulm"}, []byte("on the Danube"))
	v, ok := m.Get(place{"de", "ulm"})
	fmt.Println(string(v), ok)
	// Output:
	// on the Danube true
}

func ExampleOpenTextsFile() {
	dir, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "places")
	m := hashmap.Must(hashmap.NewTexts[string, string](hashmap.Options{}))
	defer m.Close()
	m.Set("ulm", "in Swabia")
	if err := m.Save(path); err != nil {
		fmt.Println(err)
		return
	}
	opened := hashmap.Must(hashmap.OpenTextsFile[string, string](path, hashmap.Options{}))
	defer opened.Close()
	fmt.Println(opened.Get("ulm"))
	// Output:
	// in Swabia true
}

func ExampleTexts_Save() {
	dir, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "places")
	m := hashmap.Must(hashmap.NewTexts[string, string](hashmap.Options{}))
	defer m.Close()
	m.Set("ulm", "in Swabia")
	if err := m.Save(path); err != nil {
		fmt.Println(err)
		return
	}
	opened := hashmap.Must(hashmap.OpenTextsFile[string, string](path, hashmap.Options{}))
	defer opened.Close()
	fmt.Println(opened.Get("ulm"))
	// Output:
	// in Swabia true
}

func ExampleTexts_Get() {
	m := hashmap.Must(hashmap.NewTexts[string, string](hashmap.Options{}))
	defer m.Close()
	m.Set("ulm", "on the Danube")
	v, ok := m.Get("ulm")
	fmt.Println(v, ok)
	// Output:
	// on the Danube true
}

func ExampleTexts_AppendGet() {
	m := hashmap.Must(hashmap.NewTexts[string, string](hashmap.Options{}))
	defer m.Close()
	m.Set("ulm", "on the Danube")
	room, ok := m.AppendGet([]byte("Ulm is "), "ulm")
	fmt.Println(string(room), ok)
	// Output:
	// Ulm is on the Danube true
}

func ExampleTexts_View() {
	m := hashmap.Must(hashmap.NewTexts[string, string](hashmap.Options{}))
	defer m.Close()
	m.Set("ulm", "on the Danube")
	fmt.Println(m.View("ulm", func(b []byte) { fmt.Println(len(b), "bytes") }))
	// Output:
	// 13 bytes
	// true
}

func ExampleTexts_Has() {
	m := hashmap.Must(hashmap.NewTexts[string, string](hashmap.Options{}))
	defer m.Close()
	m.Set("ulm", "")
	fmt.Println(m.Has("ulm"), m.Has("bonn"))
	// Output:
	// true false
}

func ExampleTexts_Set() {
	m := hashmap.Must(hashmap.NewTexts[string, string](hashmap.Options{}))
	defer m.Close()
	m.Set("ulm", "on the Danube")
	m.Set("ulm", "in Swabia")
	fmt.Println(m.Get("ulm"))
	// Output:
	// in Swabia true
}

func ExampleTexts_TrySet() {
	m := hashmap.Must(hashmap.NewTexts[string, string](hashmap.Options{}))
	defer m.Close()
	fmt.Println(m.TrySet("ulm", "in Swabia"))
	// Output:
	// <nil>
}

func ExampleTexts_GetOrSet() {
	m := hashmap.Must(hashmap.NewTexts[string, string](hashmap.Options{}))
	defer m.Close()
	fmt.Println(m.GetOrSet("ulm", "first"))
	fmt.Println(m.GetOrSet("ulm", "second"))
	// Output:
	// first false
	// first true
}

func ExampleTexts_Update() {
	m := hashmap.Must(hashmap.NewTexts[string, string](hashmap.Options{}))
	defer m.Close()
	for range 3 {
		m.Update("ulm", func(v string, _ bool) string { return v + "x" })
	}
	fmt.Println(m.Get("ulm"))
	// Output:
	// xxx true
}

func ExampleTexts_Compute() {
	m := hashmap.Must(hashmap.NewTexts[string, string](hashmap.Options{}))
	defer m.Close()
	m.Set("ulm", "old")
	_, ok := m.Compute("ulm", func(v string, _ bool) (string, hashmap.ComputeOp) { return v, hashmap.DeleteOp })
	fmt.Println(ok, m.Len())
	// Output:
	// false 0
}

func ExampleTexts_Delete() {
	m := hashmap.Must(hashmap.NewTexts[string, string](hashmap.Options{}))
	defer m.Close()
	m.Set("ulm", "")
	fmt.Println(m.Delete("ulm"), m.Delete("ulm"))
	// Output:
	// true false
}

func ExampleTexts_LoadAndDelete() {
	m := hashmap.Must(hashmap.NewTexts[string, string](hashmap.Options{}))
	defer m.Close()
	m.Set("ulm", "in Swabia")
	fmt.Println(m.LoadAndDelete("ulm"))
	// Output:
	// in Swabia true
}

func ExampleTexts_All() {
	m := hashmap.Must(hashmap.NewTexts[string, string](hashmap.Options{}))
	defer m.Close()
	m.Set("ulm", "in Swabia")
	for k, v := range m.All() {
		fmt.Println(k, v)
	}
	// Output:
	// ulm in Swabia
}

func ExampleTexts_AllBytes() {
	m := hashmap.Must(hashmap.NewTexts[string, string](hashmap.Options{}))
	defer m.Close()
	m.Set("ulm", "in Swabia")
	for k, v := range m.AllBytes() {
		fmt.Println(k, len(v))
	}
	// Output:
	// ulm 9
}

func ExampleTexts_Keys() {
	m := hashmap.Must(hashmap.NewTexts[string, string](hashmap.Options{}))
	defer m.Close()
	m.Set("ulm", "in Swabia")
	for k := range m.Keys() {
		fmt.Println(k)
	}
	// Output:
	// ulm
}

func ExampleTexts_Values() {
	m := hashmap.Must(hashmap.NewTexts[string, string](hashmap.Options{}))
	defer m.Close()
	m.Set("ulm", "in Swabia")
	for v := range m.Values() {
		fmt.Println(v)
	}
	// Output:
	// in Swabia
}

func ExampleTexts_Len() {
	m := hashmap.Must(hashmap.NewTexts[string, string](hashmap.Options{}))
	defer m.Close()
	m.Set("ulm", "")
	fmt.Println(m.Len())
	// Output:
	// 1
}

func ExampleTexts_Stats() {
	m := hashmap.Must(hashmap.NewTexts[string, string](hashmap.Options{}))
	defer m.Close()
	m.Set("ulm", "")
	fmt.Println(m.Stats().Len)
	// Output:
	// 1
}

func ExampleTexts_Clear() {
	m := hashmap.Must(hashmap.NewTexts[string, string](hashmap.Options{}))
	defer m.Close()
	m.Set("ulm", "")
	m.Clear()
	fmt.Println(m.Len())
	// Output:
	// 0
}

func ExampleTexts_Reserve() {
	m := hashmap.Must(hashmap.NewTexts[string, string](hashmap.Options{}))
	defer m.Close()
	fmt.Println(m.Reserve(1000))
	// Output:
	// <nil>
}

func ExampleTexts_Clone() {
	m := hashmap.Must(hashmap.NewTexts[string, string](hashmap.Options{}))
	defer m.Close()
	m.Set("ulm", "in Swabia")
	c := hashmap.Must(m.Clone())
	defer c.Close()
	m.Clear()
	fmt.Println(c.Get("ulm"))
	// Output:
	// in Swabia true
}

func ExampleTexts_Close() {
	m := hashmap.Must(hashmap.NewTexts[string, string](hashmap.Options{}))
	defer m.Close()
	fmt.Println(m.Close(), m.Close())
	// Output:
	// <nil> <nil>
}

func ExampleTexts_Verify() {
	m := hashmap.Must(hashmap.NewTexts[string, string](hashmap.Options{}))
	defer m.Close()
	m.Set("ulm", "")
	fmt.Println(m.Verify())
	// Output:
	// <nil>
}
