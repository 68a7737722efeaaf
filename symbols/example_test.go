package symbols_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/coppice-go/coppice/symbols"
)

func Example() {
	table := symbols.Must(symbols.New(symbols.Options{}))
	defer table.Close()
	for _, word := range []string{"to", "be", "or", "not", "to", "be"} {
		fmt.Print(table.Intern(word), " ")
	}
	fmt.Println(table.Len(), table.String(3))
	// Output: 1 2 3 4 1 2 4 or
}

func ExampleNew() {
	table, err := symbols.New(symbols.Options{Max: 2, Name: "identifiers"})
	if err != nil {
		panic(err)
	}
	defer table.Close()
	for _, word := range []string{"x", "y", "x", "z"} {
		s, err := table.TryIntern(word)
		fmt.Println(s, err)
	}
	// Output:
	// 1 <nil>
	// 2 <nil>
	// 1 <nil>
	// 0 symbols.Table.TryIntern: the table is full: 2 symbols
}

func ExampleTable_InternBytes() {
	table := symbols.Must(symbols.New(symbols.Options{}))
	defer table.Close()
	source := []byte("if x then y")
	fmt.Println(table.InternBytes(source[:2]), table.InternBytes(source[3:4]))
	s, ok := table.LookupBytes(source[5:9])
	fmt.Println(s, ok)
	// Output:
	// 1 2
	// 0 false
}

func ExampleTable_Lookup() {
	table := symbols.Must(symbols.New(symbols.Options{}))
	defer table.Close()
	table.Intern("if")
	fmt.Println(table.Lookup("if"))
	fmt.Println(table.Lookup("else"))
	// Output:
	// 1 true
	// 0 false
}

func ExampleTable_All() {
	table := symbols.Must(symbols.New(symbols.Options{}))
	defer table.Close()
	table.Intern("if")
	table.Intern("else")
	for s, text := range table.All() {
		fmt.Println(s, text)
	}
	// Output:
	// 1 if
	// 2 else
}

func ExampleTable_Clone() {
	table := symbols.Must(symbols.New(symbols.Options{}))
	defer table.Close()
	table.Intern("keyword")
	scope, err := table.Clone()
	if err != nil {
		panic(err)
	}
	defer scope.Close()
	fmt.Println(scope.Intern("keyword"), scope.Intern("local"), table.Len())
	// Output: 1 2 1
}

func ExampleTable_Clear() {
	table := symbols.Must(symbols.New(symbols.Options{}))
	defer table.Close()
	text := table.String(table.Intern("old"))
	table.Clear()
	fmt.Println(table.Intern("new"), table.Len(), text)
	// Output: 1 1 old
}

func ExampleOpenFile() {
	path := filepath.Join(os.TempDir(), "example.symbols")
	defer os.Remove(path)
	table := symbols.Must(symbols.New(symbols.Options{}))
	table.Intern("if")
	if err := table.Save(path); err != nil {
		panic(err)
	}
	table.Close()

	saved, err := symbols.OpenFile(path, symbols.Options{Verify: true})
	if err != nil {
		panic(err)
	}
	defer saved.Close()
	fmt.Println(saved.Intern("else"), saved.String(1), saved.Verify())
	// Output: 2 if <nil>
}

func ExampleTable_Stats() {
	table := symbols.Must(symbols.New(symbols.Options{}))
	defer table.Close()
	table.Intern("if")
	stats := table.Stats()
	fmt.Println(stats.Len, "symbol,", stats.TextBytes, "bytes of text")
	// Output: 1 symbol, 4096 bytes of text
}

func ExampleMust() {
	table := symbols.Must(symbols.New(symbols.Options{}))
	defer table.Close()
	fmt.Println(table.Intern("first"), table.Len())
	// Output: 1 1
}

func ExampleTable_Intern() {
	table := symbols.Must(symbols.New(symbols.Options{}))
	defer table.Close()
	fmt.Println(table.Intern("if"), table.Intern("else"), table.Intern("if"))
	// Output: 1 2 1
}

func ExampleTable_String() {
	table := symbols.Must(symbols.New(symbols.Options{}))
	defer table.Close()
	s := table.Intern("if")
	fmt.Println(table.String(s))
	// Output: if
}

func ExampleTable_Len() {
	table := symbols.Must(symbols.New(symbols.Options{}))
	defer table.Close()
	table.Intern("if")
	table.Intern("if")
	fmt.Println(table.Len())
	// Output: 1
}

func ExampleTable_Verify() {
	table := symbols.Must(symbols.New(symbols.Options{}))
	defer table.Close()
	table.Intern("if")
	fmt.Println(table.Verify())
	// Output: <nil>
}

func ExampleTable_LookupBytes() {
	table := symbols.Must(symbols.New(symbols.Options{}))
	defer table.Close()
	table.Intern("if")
	fmt.Println(table.LookupBytes([]byte("if then")[:2]))
	// Output: 1 true
}

func ExampleTable_TryIntern() {
	table, err := symbols.New(symbols.Options{Max: 1})
	if err != nil {
		panic(err)
	}
	defer table.Close()
	table.Intern("x")
	_, err = table.TryIntern("y")
	fmt.Println(errors.Is(err, symbols.ErrFull))
	// Output: true
}

func ExampleTable_Close() {
	table := symbols.Must(symbols.New(symbols.Options{}))
	text := table.String(table.Intern("kept"))
	if err := table.Close(); err != nil {
		panic(err)
	}
	fmt.Println(text)
	// Output: kept
}

func ExampleTable_Save() {
	path := filepath.Join(os.TempDir(), "example-save.symbols")
	defer os.Remove(path)
	table := symbols.Must(symbols.New(symbols.Options{}))
	defer table.Close()
	for range 2 { // the second call replaces the file
		table.Intern("if")
		if err := table.Save(path); err != nil {
			panic(err)
		}
	}
	fmt.Println("saved")
	// Output: saved
}

func ExampleTable_TryInternBytes() {
	table := symbols.Must(symbols.New(symbols.Options{}))
	defer table.Close()
	fmt.Println(table.TryInternBytes([]byte("if")))
	// Output: 1 <nil>
}
