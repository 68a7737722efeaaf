package facts

import (
	"context"
	"errors"
	"fmt"
	"go/version"
	"runtime"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A TooOldError reports that a package requires a newer Go version than the one that built this
// program, which therefore cannot read the package.
type TooOldError struct {
	Built   string // Go version that built this program
	Go      string // version of the go command
	Package string
	Why     string // the part of the package that this program cannot read
	Older   bool   // whether the package also compiles with Built, and can be read that way
}

// Error describes the problem and its solution in one line.
func (e *TooOldError) Error() string {
	text := fmt.Sprintf("this coppice was built with %s and cannot read code for %s: %s %s; install it with GOTOOLCHAIN=%s go install github.com/coppice-go/coppice/cmd/coppice@latest",
		e.Built, e.Go, e.Package, e.Why, e.Go)
	if e.Older {
		text += fmt.Sprintf(", or select a supported toolchain: -toolchains %s", strings.TrimPrefix(e.Built, "go"))
	}
	return text
}

// Readable returns a TooOldError if this program cannot read the packages that match the patterns.
// This is the case if a package requires a later version of the language, or imports a package
// whose exported types use newer features, such as generic methods. A later Go version by itself
// causes no error. Readable loads the packages only if the version of the go command is later than
// the version that built this program.
func Readable(ctx context.Context, o Options, patterns ...string) error {
	env, err := environment(ctx, o)
	if err != nil {
		return err
	}
	of, err := goVersion(ctx, "go", o.Dir, env)
	if err != nil {
		return err
	}
	of, _, _ = strings.Cut(of, " ")
	built, _, _ := strings.Cut(runtime.Version(), " ")
	if !version.IsValid(of) || !version.IsValid(built) || version.Compare(version.Lang(of), version.Lang(built)) <= 0 {
		return nil
	}
	loaded, err := packages.Load(&packages.Config{
		Context: ctx, Mode: mode | packages.NeedModule, Dir: o.Dir, Env: env, BuildFlags: o.Flags,
	}, patterns...)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return errors.New(oneLine(commandOutput(err.Error())))
	}
	for _, p := range loaded {
		why := tooNew(p, built)
		if why == "" {
			continue
		}
		language := ""
		if p.Module != nil {
			language = "go" + p.Module.GoVersion
		}
		return &TooOldError{Built: built, Go: of, Package: p.PkgPath, Why: why, Older: version.IsValid(language) && version.Compare(language, built) <= 0}
	}
	return nil
}

// tooNew describes why a program built with the Go version in built cannot read a package that the
// compiler accepts. It returns "" if the program can read it. Other errors are left to the
// compiler.
func tooNew(p *packages.Package, built string) string {
	why := ""
	for _, e := range p.Errors {
		switch {
		case e.Kind == packages.ListError || e.Kind == packages.UnknownError:
			return ""
		case strings.Contains(e.Msg, "requires newer Go version"):
			_, needed, _ := strings.Cut(e.Msg, "requires newer Go version ")
			needed, _, _ = strings.Cut(needed, " ")
			return "is for " + needed
		case strings.HasPrefix(e.Msg, "could not import "):
			path, _, _ := strings.Cut(strings.TrimPrefix(e.Msg, "could not import "), " ")
			return "imports " + path + ", whose types " + version.Lang(built) + " does not have"
		case why == "":
			why = "does not compile: " + oneLine(e.Msg)
		}
	}
	return why
}
