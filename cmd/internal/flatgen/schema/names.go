package schema

import (
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode"
)

// MethodNames contains the names of a list field's methods.
type MethodNames struct {
	One string // method that returns an item, such as Arg
	Num string // method that returns the number of items, such as NumArgs; only for a slice
}

// Singular returns the name of a single item of a list field: Arg for Args, Entry for Entries, and
// DataAt for Data, which has no singular.
func Singular(plural string) string {
	stem, is := strings.CutSuffix(plural, "s")
	switch {
	case strings.HasSuffix(plural, "ies") && len(plural) > 4:
		return strings.TrimSuffix(plural, "ies") + "y"
	case strings.HasSuffix(plural, "sses"), strings.HasSuffix(plural, "xes"), strings.HasSuffix(plural, "ches"), strings.HasSuffix(plural, "shes"):
		return strings.TrimSuffix(plural, "es")
	case is && stem != "" && !strings.HasSuffix(stem, "s"):
		return stem
	default:
		return plural + "At"
	}
}

// Methods returns the names of the methods of a list field. If the singular is also the name of
// another field, the method that returns an item has a name that ends in At.
func (s *Struct) Methods(f *Field) MethodNames {
	names := MethodNames{One: Singular(f.Name), Num: "Num" + f.Name}
	if slices.ContainsFunc(s.Fields, func(other *Field) bool { return other.Name == names.One }) {
		names.One = f.Name + "At"
	}
	return names
}

// OwnLocals contains the variable and package names that the Builder's methods use. The parameters
// of these methods are named after fields, and are renamed if they conflict with one of these
// names. OwnConverter does the same for the functions that convert trees, whose local variables are
// named after fields.
var (
	OwnLocals    = strings.Fields("b flat flatimpl math n rest w")
	OwnConverter = append(strings.Fields("c depth x"), OwnLocals...)
)

// ownNumbered contains the prefixes of generated variable names that end in a number. The number is
// different for each nested loop.
var ownNumbered = strings.Fields("i k v x")

// ownPrefixes contains the prefixes of generated variable names that end in a name from the schema.
var ownPrefixes = []string{"first", "kindsOf"}

// ownNames contains the remaining unexported names that the generated package uses, except those
// that contain a name from the schema.
var ownNames = strings.Fields(`ahead at core data done err f fromTree following forward h i inPlace io item items k kindNames kinds left levels limits list most
next nextOfLists nextPreorder nodes now number off ok old options p path postorder preorder r root s schema schemaText earlierText strings t testing text to toTree todo top
treeOf unsafe v value walk words yield`)

// isNumbered reports whether name consists of an element of ownNumbered and a number.
func isNumbered(name string) bool {
	stem := strings.TrimRight(name, "0123456789")
	return stem != name && slices.Contains(ownNumbered, stem)
}

// hasOwnPrefix reports whether name starts with an element of ownPrefixes and is longer.
func hasOwnPrefix(name string) bool {
	return slices.ContainsFunc(ownPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) && name != prefix })
}

// isGo reports whether name is a Go keyword or a predeclared identifier.
func isGo(name string) bool { return token.IsKeyword(name) || types.Universe.Lookup(name) != nil }

// importName returns the name under which generated code imports the schema's package. It is the
// package name, with an underscore appended if generated code already uses that name.
func importName(name string) string {
	stem := strings.TrimRight(name, "0123456789")
	if isGo(name) || slices.Contains(OwnConverter, name) || slices.Contains(ownNames, stem) || isNumbered(name) || hasOwnPrefix(name) {
		return name + "_"
	}
	return name
}

// Locals returns a variable name for each field of a struct, in order. A name begins with a
// lower-case letter. Underscores are appended until it differs from all names in own, and from at,
// the variable that holds the position of the lists after a record's words.
func (m *Model) Locals(s *Struct, own []string) []string {
	names := make([]string, 0, len(s.Fields))
	for _, f := range s.Fields {
		name := lower(f.Name)
		if hasOwnPrefix(name) {
			name = "field" + f.Name
		}
		for name == "at" && s.Block != nil && s.Block.Nested || name == f.Name || name == m.Import || isGo(name) || isNumbered(name) || slices.Contains(own, name) || slices.Contains(names, name) {
			name += "_"
		}
		names = append(names, name)
	}
	return names
}

// Parameter returns the name of the parameter for a field in the Builder's method for a record.
func (m *Model) Parameter(s *Struct, field string) string { return m.Local(s, field, OwnLocals) }

// Local returns the variable name for a field. own contains the names of the function's other
// variables.
func (m *Model) Local(s *Struct, field string, own []string) string {
	return m.Locals(s, own)[slices.IndexFunc(s.Fields, func(f *Field) bool { return f.Name == field })]
}

// lower returns name with its first word in lower case.
func lower(name string) string {
	runes := []rune(name)
	for i := range runes {
		if i > 0 && i+1 < len(runes) && !unicode.IsUpper(runes[i+1]) {
			break // the last capital of URLPath starts a word
		}
		if !unicode.IsUpper(runes[i]) {
			break
		}
		runes[i] = unicode.ToLower(runes[i])
	}
	return string(runes)
}

// Reserved contains the exported names that every generated package and its test declare.
var Reserved = []string{"Tree", "Builder", "Kind", "KindNil", "Any", "AnyView", "Load", "Read", "Open", "FromTree", "ToTree", "NewBuilder", "Fold", "Results", "Rewriter",
	"Numbering", "SideTable", "NewSideTable", "ParentTable", "StringNumbers", "TestRoundTrip"}

// BuilderMethods contains the names of those Builder methods that are the same for all schemas. A
// Builder also has a method for each variant.
var BuilderMethods = []string{"Err", "Finish", "Reset", "Reuse", "Rewrite", "RewriteInPlace", "Edit"}

// checkNames reports a problem for each name that the generated package would declare twice.
func (r *reader) checkNames() {
	if r.pkg.Name == "main" {
		r.problem(r.pkg.Syntax[0].Package, "package main cannot be imported, as the generated package must; move the schema into a package of its own")
	}
	taken := map[string]string{}
	for _, name := range Reserved {
		taken[name] = "the generated package's own " + name
	}
	take := func(pos token.Position, name, what string) {
		if other := taken[name]; other != "" {
			r.problems = append(r.problems, Problem{pos, what + " needs the name " + name + " in the generated package, which is taken by " + other + "; rename it"})
		}
		taken[name] = what
	}
	for _, sum := range r.model.Sums {
		take(sum.Pos, sum.Name, "the sum "+sum.Name)
		take(sum.Pos, sum.Name+"View", "the view of "+sum.Name)
	}
	for _, v := range r.model.Records[1:] {
		take(v.Pos, v.Name, "the variant "+v.Name)
		take(v.Pos, "Kind"+v.Name, "the kind of "+v.Name)
		if slices.Contains(BuilderMethods, v.Name) {
			r.problems = append(r.problems, Problem{v.Pos, "the variant " + v.Name + " would hide the Builder's method of that name; rename it"})
		}
		if v.ByName() {
			take(v.Pos, v.Name+"Fields", "the fields of "+v.Name)
		}
		r.checkMethods(v)
	}
	for _, s := range r.model.Structs {
		take(s.Pos, s.Name, "the struct "+s.Name)
		take(s.Pos, s.Name+"Fields", "the fields of "+s.Name)
		r.checkMethods(s)
	}
}

// allMethods returns the names of all methods that are generated for a field.
func (s *Struct) allMethods(f *Field) []string {
	if f.Intern {
		return append(s.accessors(f), s.NumberName(f))
	}
	return s.accessors(f)
}

// accessors returns the names of the methods that get and set a field.
func (s *Struct) accessors(f *Field) []string {
	if !f.IsList() {
		return []string{f.Name, "Set" + f.Name}
	}
	names := s.Methods(f)
	return []string{f.Name, names.Num, names.One, "Set" + names.One}
}

// NumberName returns the name of the method that returns the number of an interned string: XNumber
// for a field X, or XStringNumber if XNumber is an accessor of another field.
func (s *Struct) NumberName(f *Field) string {
	one := f.Name
	if f.IsList() {
		one = s.Methods(f).One
	}
	if slices.ContainsFunc(s.Fields, func(other *Field) bool { return slices.Contains(s.accessors(other), one+"Number") }) {
		return one + "StringNumber"
	}
	return one + "Number"
}

// HasMethod reports whether a method with the given name is generated for any field of the struct.
func (s *Struct) HasMethod(name string) bool {
	return slices.ContainsFunc(s.Fields, func(f *Field) bool { return slices.Contains(s.allMethods(f), name) })
}

// checkMethods reports a problem for each method that a view would declare twice.
func (r *reader) checkMethods(s *Struct) {
	taken := map[string]string{}
	if s.Kind > 0 {
		taken["AsAny"] = "every view"
	}
	for _, sum := range s.Sums {
		taken["As"+sum.Name] = "the view of every " + sum.Name
	}
	for _, f := range s.Fields {
		for _, name := range s.allMethods(f) {
			if other := taken[name]; other != "" {
				r.problems = append(r.problems, Problem{f.Pos, s.Name + "." + f.Name + " needs a method " + name + ", as " + other + " does; rename the field"})
			}
			taken[name] = f.Name
		}
	}
}

// Home returns the return type of the Builder's method for a record: the first sum that contains
// the record or, if there is none, the view of the record.
func (s *Struct) Home() string {
	if len(s.Sums) == 0 {
		return s.Name
	}
	return s.Sums[0].Name
}

// MostParameters is the maximum number of parameters of a Builder's method. If a record has more
// fields, its method has one parameter, a struct of these fields.
const MostParameters = 4

// ByName reports whether the Builder's method for a record accepts the fields as a struct.
func (s *Struct) ByName() bool { return s.Kind > 0 && len(s.Fields) > MostParameters }
