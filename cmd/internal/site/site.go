// Package site contains the data about a position in a program that allocates: how much it
// allocates (profiles), how long the values live (probe), the facts from the source (facts), and
// the advice (decide). The stages of coppice find fill in the data, in this order.
package site

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A Place is the source position of a site. It is in the user's source if the stack has a frame
// there.
type Place struct {
	Package  string `json:"package"`  // import path
	Function string `json:"function"` // symbol name without the package, such as (*parser).next or Parse.func1
	File     string `json:"file"`     // absolute path, or the path in the profile
	Line     int    `json:"line"`
}

// LoopSuffix is a regular expression for the suffix that the compiler adds to a function's name for
// the body of a loop over an iterator, as in Count-range1.
const LoopSuffix = `-range\d+`

var loops = regexp.MustCompile(LoopSuffix)

// Declared returns Function without the suffixes that the compiler adds for loops over iterators:
// Count for Count-range1.
func (p Place) Declared() string { return loops.ReplaceAllString(p.Function, "") }

// A Site is a position in the source at which the program allocates.
type Site struct {
	ID    string `json:"id"` // remains valid after edits elsewhere in the file
	Place        // position in the code that is to be changed
	Leaf  *Place `json:"leaf,omitempty"` // position in the standard library that allocates on behalf of Place
	Cost
	Fate  Fate  `json:"fate"`
	Facts Facts `json:"facts"`
	Advice
	Instructions []Instruction `json:"-"` // for several instructions at one position; package facts finds their expressions
}

// An Instruction is one of several allocating instructions at the position of a site.
type Instruction struct {
	In string // function whose machine code contains the instruction
	At uint64 // address of the instruction
	Cost
	Fate Fate
}

// Has reports whether one of the site's instructions is at the given address in a function's
// machine code.
func (s *Site) Has(in string, at uint64) bool {
	return slices.ContainsFunc(s.Instructions, func(i Instruction) bool { return i.In == in && i.At == at })
}

// A Cost is the cost of a site: objects, bytes and CPU time.
type Cost struct {
	Objects float64 `json:"objects"` // number of objects per operation
	Bytes   float64 `json:"bytes"`   // number of bytes per operation
	// These are fractions of the values of the whole program, from 0 to 1.
	ObjectsPart float64 `json:"objectsPart"`
	BytesPart   float64 `json:"bytesPart"`
	Malloc      float64 `json:"malloc"`               // share of the CPU time that mallocgc takes at this site, excluding the collector's work
	Samples     int     `json:"samples"`              // samples in the CPU profile from which Malloc is computed
	Formatting  float64 `json:"formatting,omitempty"` // share of the CPU time that package fmt takes for this line, excluding malloc
	// InUse and InUseBytes are the number and the size of the objects that were alive after the
	// last collection before the profile. For the difference of two profiles, they are the
	// increase.
	InUse      int64 `json:"inUse,omitempty"`      // objects in total, not per operation
	InUseBytes int64 `json:"inUseBytes,omitempty"` // bytes in total, not per operation
	// Sizes contains the number of objects of each size, in increasing order of size, if a profile
	// has the sizes. Package facts keeps them only for appends.
	Sizes []Size `json:"sizes,omitempty"`
}

// A Size is the number of objects of one size that a site allocates.
type Size struct {
	Bytes   int64   `json:"bytes"`
	Objects float64 `json:"objects"` // number of objects per operation
}

// Together merges several lists of sizes into one. The result is empty if one of them is empty.
func Together(lists ...[]Size) (all []Size) {
	sum := map[int64]float64{}
	for _, list := range lists {
		if len(list) == 0 {
			return nil
		}
		for _, s := range list {
			sum[s.Bytes] += s.Objects
		}
	}
	for _, bytes := range slices.Sorted(maps.Keys(sum)) {
		all = append(all, Size{bytes, sum[bytes]})
	}
	return all
}

// A Fate describes how long the values of a site live.
type Fate struct {
	// Temporary, Result and Retained are fractions of the site's objects. Their sum is 1 if Method
	// is not empty.
	Temporary float64 `json:"temporary"` // dead before the operation ends
	Result    float64 `json:"result"`    // live as long as the operation's result
	Retained  float64 `json:"retained"`  // live longer
	Method    Method  `json:"method"`
	Age       float64 `json:"age,omitempty"` // mean age in operations, or in seconds for profiles of a fleet
}

// A Method is the way in which a Fate was measured.
type Method string

// These are the values of Method.
const (
	HoldAndDrop Method = "hold and drop"     // exact: the collector runs while the result is held, and after it was dropped
	Little      Method = "little"            // Little's law: mean number in use / allocation rate
	AtEnd       Method = "in use at the end" // at the end of a test or a program: values that are not in use are dead
	Unknown     Method = ""
)

// Main returns the fate of most objects: temporary, result or retained. It returns mixed if none of
// these has 0.7 of the objects, and unknown if the fate was not measured.
func (f Fate) Main() string {
	const most = 0.7
	switch {
	case f.Method == Unknown:
		return "unknown"
	case f.Temporary >= most:
		return "temporary"
	case f.Result >= most:
		return "result"
	case f.Retained >= most:
		return "retained"
	}
	return "mixed"
}

// A Kind is the kind of expression that allocates.
type Kind string

// These are the values of Kind.
const (
	Literal   Kind = "literal"  // &T{...}
	New       Kind = "new"      // new(T)
	MakeSlice Kind = "make"     // make([]T, n), and slice literals
	MakeMap   Kind = "map"      // make(map[K]V), map literals, and growth of maps
	MakeChan  Kind = "chan"     // make(chan T)
	Append    Kind = "append"   // growth of a slice
	ToString  Kind = "string"   // string([]byte), string(rune)
	ToBytes   Kind = "bytes"    // []byte(string), []rune(string)
	Concat    Kind = "concat"   // string concatenation: a + b
	Box       Kind = "box"      // conversion of a value to an interface
	Variadic  Kind = "variadic" // argument slice of a variadic call
	Closure   Kind = "closure"  // a function literal or a method value
	Moved     Kind = "variable" // a variable whose address outlives the function
	Call      Kind = "call"     // call to a standard library function that allocates; Leaf is the position
	Goroutine Kind = "go"       // a go statement
	Other     Kind = "other"    // none of the above, or the source is missing
)

// Pointers describes which pointers values of a type contain.
type Pointers string

// These are the values of Pointers.
const (
	NoPointers   Pointers = "none"
	OwnPointers  Pointers = "own" // only pointers to values of the same type
	SomePointers Pointers = "some"
)

// Facts contains the facts about a site that come from its source and the compiler.
type Facts struct {
	Kind       Kind     `json:"kind"`
	Type       string   `json:"type"` // type of the value; for slices, type of the element
	Size       int64    `json:"size"` // bytes of a value of Type; for maps, of an entry; 0 if it depends on type arguments
	Pointers   Pointers `json:"pointers"`
	Length     int      `json:"length"`               // length of a make or a literal, if it is constant; else -1
	Loop       bool     `json:"loop"`                 // the site is in a loop of its function
	Known      string   `json:"known,omitempty"`      // for appends: expression for the final length
	Callee     string   `json:"callee,omitempty"`     // for calls: the function, bytes.ReplaceAll
	Plain      string   `json:"plain,omitempty"`      // for calls to fmt and their operands: how to build the string without fmt
	WholeField string   `json:"wholeField,omitempty"` // for copies: struct field that is copied as a whole: node.edges
	Unread     bool     `json:"unread,omitempty"`     // the allocated value is an error that is only compared with nil
	Grows      *Owner   `json:"grows,omitempty"`      // for appends: struct that has the slice as a field
	Refilled   string   `json:"refilled,omitempty"`   // for string(b): struct that may own the buffer b, and its reader that fills it, such as Tokenizer.r
	Written    string   `json:"written,omitempty"`    // for copies: position of a write to the copy: lower (escape.go:228)
	Beside     []int    `json:"beside,omitempty"`     // lines of other make calls and small literals in the same statement list
	Also       []string `json:"also,omitempty"`       // other expressions on the line that may allocate: box Name
	Owners     []Owner  `json:"owners,omitempty"`     // structs that could own an allocator, the best first
	Above      []Owner  `json:"above,omitempty"`      // structs in callers that could own an allocator, which would become a parameter
	Callers    []Line   `json:"callers,omitempty"`    // lines in the package that mention the function, if there are no Owners
	Escapes    []Escape `json:"escapes,omitempty"`
	NoFlow     string   `json:"noFlow,omitempty"`   // reason why Escapes have no Flow
	Values     *Values  `json:"values,omitempty"`   // for strings: number of distinct values; nil if not counted
	Expr       *Span    `json:"-"`                  // expression that allocates, in the file that the compiler reads
	Operand    *Span    `json:"-"`                  // for string([]byte): its operand, in the file that the compiler reads
	Recursive  bool     `json:"recursive"`          // values of Type may refer to others of Type through fields, slices or interfaces
	Result     bool     `json:"result"`             // an exported function returns the value or a variable that holds it
	Returned   string   `json:"returned,omitempty"` // exported function through whose result a caller may get the value
	Test       bool     `json:"test"`               // the site is in a test file
	Generated  bool     `json:"generated"`
	Directive  bool     `json:"directive"`          // the position comes from a //line directive
	NoSource   string   `json:"noSource,omitempty"` // reason why the source is missing
	Stays      string   `json:"-"`                  // reason why the expression in a generated file cannot be changed; empty if it can, or if no generator was run
}

// Spelled returns the allocated type as written in the source: Node, lexer.Token, []byte. It
// returns "" if the type is unknown.
func (f Facts) Spelled() string {
	switch f.Kind {
	case MakeSlice, Append, Variadic, ToBytes:
		if f.Type != "" && !strings.HasPrefix(f.Type, "[]") {
			return "[]" + f.Type
		}
	}
	return f.Type
}

// In returns the site with its expression in the given file. If the package was loaded again, file
// is the name of the same file in the new load.
func (s *Site) In(file string) *Site {
	if s.Facts.Expr == nil || s.Facts.Expr.File == file {
		return s
	}
	other := *s
	expr := *s.Facts.Expr
	expr.File = file
	other.Facts.Expr = &expr
	return &other
}

// A Span is a range of bytes in a file.
type Span struct {
	File     string // absolute path, as the go command reports it
	From, To int    // byte offsets
}

// Values contains the number of strings that were examined at a site, and the number of distinct
// strings among them.
type Values struct {
	Looked   int `json:"looked"` // number of strings that were examined
	Distinct int `json:"distinct"`
}

// An Owner is a struct that could have a slab as a field.
type Owner struct {
	Type string `json:"type"` // such as *parser
	How  string `json:"how"`  // such as receiver p or parameter p
	// These fields contain the objections to the owner. A field is "" if its objection does not
	// apply.
	Lock      string `json:"lock,omitempty"`      // field that is a lock or contains one
	Goroutine string `json:"goroutine,omitempty"` // go statement that gets the owner: file.go:12
	Copied    string `json:"copied,omitempty"`    // position at which the owner is copied by value
	Global    string `json:"global,omitempty"`    // package variable that holds the owner

	// Within lists the lines that allocate values that contain the owner.
	Within []Line `json:"within,omitempty"`
	// Instances is the number of owners that an operation allocates, according to the profile, or a
	// negative number if unknown.
	Instances float64 `json:"instances"`
	// Begins lists the positions at which the lifetime of an owner begins: on the Go heap, on the
	// stack, or at a reset.
	Begins []Begin `json:"-"`
	// Begun is the number of owners whose lifetime begins during an operation, counted at the
	// positions in Begins. It is 0 if they were not counted.
	Begun float64 `json:"begun,omitempty"`
	// SetUp is the number of owners whose lifetime begins before the operations, in the set-up,
	// counted in the same way.
	SetUp float64 `json:"setUp,omitempty"`
}

// Many returns the number of owners that an operation uses, each of which allocates its own values.
// It returns 0 or less if the number is unknown.
func (o Owner) Many() float64 {
	const doubt = 2 // the count includes the set-up, but the profile is exact
	if o.Instances > 0 && o.Begun < doubt*o.Instances {
		return o.Instances
	}
	return max(o.Instances, o.Begun)
}

// Outlives reports whether an owner lives longer than an operation. This is the case if, according
// to the count, the lifetime of fewer than one owner begins per operation. Code outside the
// operation then created the owner, and several goroutines may share it. Outlives returns false if
// the owners were not counted.
func (o Owner) Outlives() bool {
	many := o.Many()
	return many > 0 && many < 1
}

// Sharing returns the number of owners that share the values of an operation, which is at least
// one.
func (o Owner) Sharing() float64 {
	if o.Outlives() {
		return max(1, o.SetUp)
	}
	return max(1, o.Many())
}

// A Begin is an expression that creates owners, or a statement that declares or resets them.
type Begin struct {
	Span
	Type  string // type of the expression, as its file names it, on one line; empty for a statement
	Count int    // number of owners; 0 if the expression is a list of owners
}

// Unfit returns the reason why the owner should not get a field that only one goroutine may use,
// such as an allocator. It returns "" if nothing speaks against such a field.
func (o Owner) Unfit() string {
	name, _, _ := strings.Cut(o.Type, "[")
	name = name[strings.LastIndexAny(name, "*.")+1:]
	switch {
	case o.Lock != "":
		return fmt.Sprintf("%s has a lock, %s: goroutines share it, and an allocator serves one goroutine", name, o.Lock)
	case o.Goroutine != "":
		return fmt.Sprintf("%s goes to another goroutine at %s, and an allocator serves one goroutine", name, o.Goroutine)
	case o.Copied != "":
		return fmt.Sprintf("%s is copied by value at %s, and two copies would hand out the same memory", name, o.Copied)
	case o.Global != "":
		return fmt.Sprintf("%s is in the package variable %s: its users and their lifetimes are not known", name, o.Global)
	}
	return ""
}

// A Line is a line of a source file.
type Line struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// An Escape is a message of the compiler about an allocation on a line.
type Escape struct {
	Column  int      `json:"column"`
	Message string   `json:"message"` // such as &Node{...} escapes to heap
	Flow    []string `json:"flow,omitempty"`
}

// A Remedy is the name of a remedy. Package remedies lists them.
type Remedy string

// Leave is the remedy for a site that should be left unchanged.
const Leave Remedy = "leave"

// An Advice is the recommendation for a site.
type Advice struct {
	Remedy   Remedy   `json:"remedy"`
	Do       string   `json:"do"`                 // short summary, such as slab in parser
	Rule     int      `json:"rule"`               // number of the rule that decided
	Why      []string `json:"why"`                // facts that matched the rule
	Proposal string   `json:"proposal,omitempty"` // ID of the proposal that includes the site
}

// Cmp orders sites by cost, the most expensive first.
func Cmp(a, b *Site) int {
	return cmp.Or(cmp.Compare(b.Malloc, a.Malloc), cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Objects, a.Objects),
		cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
}
