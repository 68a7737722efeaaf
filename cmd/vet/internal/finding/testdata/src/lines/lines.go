// Package lines has //line directives, as generators write them: the lines of other files repeat, and have no columns.
package lines

func bad() {}

func meant() {
//line grammar.y:5
	bad() //nolint
//line grammar.y:7
	bad() //coppice:ignore badcall a reason
}

func sameLines() {
//line grammar.y:5
	bad() // want `bad is called`
//line grammar.y:8
	bad() // want `bad is called`
}

//line grammar.y:20

//coppice:ignore badcall a reason
func whole() {
//line grammar.y:4
	bad()
}

func below() {
//line grammar.y:40
	//coppice:ignore badcall a reason
	bad()
	//lint:ignore coppice/badcall a reason
	bad()
	//nolint:coppice
	bad()
}
