// Package flatbegin implements coppice flat begin. The command helps to convert a program from
// trees of pointers to flat trees. The types of the trees may belong to the program, or to a module
// that it uses. The command writes a schema, the package that coppice flat generates from the
// schema, a converter, and a report of the remaining work. All files are written to a new folder;
// other files do not change.
package flatbegin

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/flatgen"
	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"
)

// Options selects the type of the trees, and the folder to which files are written.
type Options struct {
	Dir     string   // the folder to which patterns, Out and Profile are relative
	Package string   // pattern for the package of the root type
	Type    string   // name of the root type
	Out     string   // the output folder; if empty, the name of the type in lower case
	Link    []string // fields, as Type.Field, that point to values held by other fields
	Leave   []string // fields to leave out, as Type.Field
	Bits    []string // widths of integer fields in bits, as Type.Field=N
	Share   bool     // allow values with several parents
	Readers []string // patterns for the packages that read the trees
	Profile string   // file of a CPU profile that shows which functions read most; if empty, none
	Again   bool     // overwrite the files of an earlier run
}

// Begin writes the files that coppice flat begin generates, and prints a summary to w. If the
// generated code does not compile, Begin returns an error that describes the problem.
func Begin(o Options, w io.Writer) error {
	p, err := load(&o)
	if err != nil {
		return err
	}
	if err := makePlan(p); err != nil {
		return err
	}
	text, err := format.Source([]byte(p.schemaText()))
	if err != nil {
		return fmt.Errorf("generating the schema of %s: %w", o.Type, err)
	}
	folder := o.resolve(o.Out)
	if err := o.put(filepath.Join(folder, p.name+".go"), text); err != nil {
		return err
	}
	pattern := "./" + filepath.ToSlash(o.Out)
	if filepath.IsAbs(o.Out) {
		pattern = o.Out
	}
	models, err := schema.Load(o.Dir, []string{pattern})
	if err != nil {
		return fmt.Errorf("the schema %s was rejected: %w; leave a field out with -again -leave", filepath.Join(o.Out, p.name+".go"), err)
	}
	p.bind(models[0])
	if err := flatgen.Generate(flatgen.Options{Dir: o.Dir, Patterns: []string{pattern}}); err != nil {
		return err
	}
	converter, err := p.converter()
	if err != nil {
		return fmt.Errorf("generating the converter of %s: %w", o.Type, err)
	}
	if err := o.put(filepath.Join(folder, p.fromName(), p.fromName()+".go"), converter); err != nil {
		return err
	}
	if err := compiles(&o, pattern+"/"+p.fromName()); err != nil {
		return err
	}
	report, err := p.report()
	if err != nil {
		return err
	}
	if err := o.put(filepath.Join(folder, reportName), report); err != nil {
		return err
	}
	return p.summary(w)
}

// reportName is the name of the file to which the report of the remaining work is written.
const reportName = "REMAINS.md"

// fullMode is the mode in which packages and all their dependencies are loaded from source.
const fullMode = packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo |
	packages.NeedTypesSizes | packages.NeedImports | packages.NeedDeps | packages.NeedModule

// required returns an error if the module does not require the package flat, which the generated
// packages import.
func (o *Options) required() error {
	found, err := packages.Load(&packages.Config{Dir: o.Dir, Mode: packages.NeedName | packages.NeedFiles}, flatPackage)
	if err != nil {
		return err
	}
	if len(found) != 1 || len(found[0].Errors) > 0 {
		return fmt.Errorf("the module does not require %s, which the files need; run go get %[1]s first", flatPackage)
	}
	return nil
}

// load loads the packages that the patterns match, and returns a plan with the root type of the
// trees.
func load(o *Options) (*plan, error) {
	if o.Out == "" {
		o.Out = strings.ToLower(o.Type)
	}
	name := filepath.Base(o.Out)
	if !token.IsIdentifier(name) || types.Universe.Lookup(name) != nil {
		return nil, fmt.Errorf("invalid -out %s: must end in a valid name of a Go package", o.Out)
	}
	if err := o.free(); err != nil {
		return nil, err
	}
	if err := o.required(); err != nil {
		return nil, err
	}
	config := &packages.Config{Dir: o.Dir, Mode: fullMode}
	loaded, err := packages.Load(config, append([]string{o.Package}, o.Readers...)...)
	if err != nil {
		return nil, fmt.Errorf("loading %s: %w", o.Package, err)
	}
	first, err := packages.Load(&packages.Config{Dir: o.Dir, Mode: packages.NeedName | packages.NeedModule}, o.Package)
	if err != nil || len(first) != 1 {
		return nil, fmt.Errorf("invalid package %s: must be one package, got %d", o.Package, len(first))
	}
	p := &plan{o: o, name: name, loaded: map[string]*packages.Package{}}
	packages.Visit(loaded, nil, func(pkg *packages.Package) {
		if pkg.Types != nil && pkg.TypesInfo != nil {
			p.loaded[pkg.PkgPath] = pkg
		}
	})
	if p.pkg = p.loaded[first[0].PkgPath]; p.pkg == nil || len(p.pkg.Errors) > 0 {
		return nil, fmt.Errorf("package %s does not compile: %w", o.Package, firstError(p.pkg))
	}
	object, ok := p.pkg.Types.Scope().Lookup(o.Type).(*types.TypeName)
	if !ok {
		return nil, fmt.Errorf("invalid -type %s: must be a type of %s", o.Type, p.pkg.PkgPath)
	}
	if p.pkg.Name == "main" {
		return nil, fmt.Errorf("package %s is a program, which the converter cannot import; move %s to a package of its own", p.pkg.PkgPath, o.Type)
	}
	p.root = object
	if p.outPath, err = o.importPath(); err != nil {
		return nil, err
	}
	if p.outPath == p.pkg.PkgPath {
		return nil, fmt.Errorf("invalid -out %s: must be a new folder, not the package of %s", o.Out, o.Type)
	}
	if p.profile, err = o.readProfile(); err != nil {
		return nil, err
	}
	maps.DeleteFunc(p.loaded, func(path string, _ *packages.Package) bool { // of an earlier run
		return path == p.outPath || strings.HasPrefix(path, p.outPath+"/")
	})
	if named, why := p.own(object.Type()); named == nil {
		return nil, fmt.Errorf("invalid -type %s: %s", o.Type, why)
	}
	return p, nil
}

func firstError(pkg *packages.Package) error {
	if pkg == nil || len(pkg.Errors) == 0 {
		return errors.New("it was not found")
	}
	return errors.New(pkg.Errors[0].Error())
}

// importPath returns the import path of the folder to which files are written.
func (o *Options) importPath() (string, error) {
	found, err := packages.Load(&packages.Config{Dir: o.Dir, Mode: packages.NeedModule | packages.NeedName}, o.Readers...)
	if err != nil {
		return "", err
	}
	base, err := filepath.Abs(o.Dir)
	if err != nil {
		return "", err
	}
	folder := filepath.Join(real(base), o.Out)
	if filepath.IsAbs(o.Out) {
		folder = real(o.Out)
	}
	for _, pkg := range found {
		if pkg.Module == nil || !pkg.Module.Main {
			continue
		}
		below, err := filepath.Rel(real(pkg.Module.Dir), folder)
		if err == nil && filepath.IsLocal(below) {
			return pkg.Module.Path + "/" + filepath.ToSlash(below), nil
		}
	}
	return "", fmt.Errorf("invalid -out %s: must be a folder of the module that reads the trees; run this in its root", o.Out)
}

// real resolves the symbolic links in the path of a folder, if the folder exists.
func real(folder string) string {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		return real
	}
	return folder
}

// resolve returns an absolute path unchanged, and resolves any other path relative to Dir.
func (o *Options) resolve(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(o.Dir, path)
}

// free returns an error if the folder Out exists and is not empty. With -again, the folder need not
// be empty.
func (o *Options) free() error {
	entries, err := os.ReadDir(o.resolve(o.Out))
	if errors.Is(err, fs.ErrNotExist) || err == nil && (len(entries) == 0 || o.Again) {
		return nil
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("invalid -out %s: must be a new folder; -again overwrites the files of an earlier run", o.Out)
}

// put writes a file. It returns an error instead of replacing a file that was not written by an
// earlier run.
func (o *Options) put(name string, data []byte) error {
	old, err := os.ReadFile(name)
	if err == nil && !bytes.Contains(old, []byte(strings.TrimSpace(begun[3:]))) {
		return fmt.Errorf("%s was not written by coppice flat begin; name another folder with -out", name)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o666)
}

// compiles returns an error if the converter, or a package that it imports, does not compile.
func compiles(o *Options, pattern string) error {
	loaded, err := packages.Load(&packages.Config{Dir: o.Dir, Mode: fullMode}, pattern)
	if err != nil {
		return err
	}
	for _, pkg := range loaded {
		if len(pkg.Errors) > 0 {
			return fmt.Errorf("the converter does not compile: %w; leave a field out with -again -leave", firstError(pkg))
		}
	}
	return nil
}

// summary prints a summary of the files that were written.
func (p *plan) summary(w io.Writer) error {
	fields, links := 0, 0
	for _, r := range p.records {
		fields += len(r.fields)
		links += r.links
	}
	_, err := fmt.Fprintf(w, "%s: structs %d, interfaces %d, fields %d, links %d, left out %d\n%s: func Tree(%s) (%s.Tree, error); it compiles\n%s: what remains\n",
		filepath.Join(p.o.Out, p.name+".go"), len(p.records), len(p.sums), fields, links, len(p.left),
		filepath.Join(p.o.Out, p.fromName()), p.rootType(), p.name+"flat", filepath.Join(p.o.Out, reportName))
	return err
}

// rootType returns the Go source of the type that the converter accepts, including the name of the
// package that declares the type.
func (p *plan) rootType() string {
	if p.first != nil {
		return "*" + p.pkg.Name + "." + p.root.Name()
	}
	return p.pkg.Name + "." + p.root.Name()
}
