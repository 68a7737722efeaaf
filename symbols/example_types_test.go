package symbols_test

import (
	"fmt"

	"github.com/coppice-go/coppice/symbols"
)

func ExampleTable() {
	names := symbols.Must(symbols.New(symbols.Options{}))
	defer names.Close()
	width, height := names.Intern("width"), names.Intern("height")
	fmt.Println(width == names.Intern("width"), width == height, names.String(height))
	// Output: true false height
}

// A Symbol is a small map key that can stand for a string.
func ExampleSymbol() {
	names := symbols.Must(symbols.New(symbols.Options{}))
	defer names.Close()
	counts := map[symbols.Symbol]int{}
	for _, name := range []string{"oak", "ash", "oak"} {
		counts[names.Intern(name)]++
	}
	fmt.Println(counts[names.Intern("oak")])
	// Output: 2
}
