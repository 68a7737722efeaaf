package arena

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/remedy/arena/keeps"
	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/rewrite/own"
)

// Form returns a maker that adds a variant of a function. The result of the variant comes from an
// arena. The old function remains, and calls the variant with a nil arena.
//
// The maker works in a loop, because it can answer two questions only for a finished change:
// whether the code of each place compiles, and which memory may be kept after the call. Each round
// leaves more places unchanged.
func Form(ctx context.Context, function string) change.Maker {
	return form(ctx, function, own.EveryList)
}

// SparingForm is like Form, but does not change lists that are only returned. For callers without
// an arena, the compiler lets such lists grow on the stack.
func SparingForm(ctx context.Context, function string) change.Maker {
	return form(ctx, function, own.NotReturned)
}

func form(ctx context.Context, function string, lists own.Lists) change.Maker {
	var leave map[own.Place]string // places to leave unchanged in all builds, with the reasons
	return func(r *change.Request) (*change.Change, error) {
		world, err := r.Around()
		if err != nil {
			return nil, err
		}
		if leave == nil {
			if leave, err = onStack(ctx, world, r.Package); err != nil {
				return nil, err
			}
		}
		programs, err := world.Programs(ctx)
		if err != nil {
			return nil, err
		}
		var given own.Given
		for more := true; more; {
			if given, err = give(r, own.Wish{Function: function, Leave: leave, Lists: lists}, world, programs); err != nil {
				return nil, change.Refused{Why: err.Error()}
			}
			if more, err = mend(ctx, world, r.Package.Fset, given, leave); err != nil {
				return nil, err
			}
		}
		c := &change.Change{
			About: fmt.Sprintf(`%[1]sIn is %[1]s with a result in an arena, which the caller resets when the result is dead: no code reads it any more, nor an error that came with it.
%[1]s itself calls it without an arena. A nil arena is the Go heap, so nothing changes for its callers.
After a Reset that is too early, a read returns values of a later result. That is memory-safe, but wrong: tests with -race or -tags coppice_checks detect it.`, function),
			Undo: "Remove arena.Grow and arena.Copy, replace arena.New[T](a) with new(T), and remove the new function and the field.",
			Price: []string{"one value of a result that is still held keeps its chunk, and after Reset it shows another value", "assumed of callers of the new function: they reset the arena when the result is no longer used",
				"assumed of other modules: what they put into variables of these packages, and what is handed to them, keeps no value of a result",
				"assumed of code with an arena: nothing relies on the spare capacity after append, and files and connections that values point to are closed by hand"},
		}
		if owner := given.Owner.(*types.Named).Obj(); owner.Exported() {
			c.Price = append(c.Price, "assumed of other modules: they do not inspect the fields of "+owner.Name()+" by printing or reflection")
		}
		if where := world.Watched(); where != "" {
			c.Price = append(c.Price, where+" may inspect the functions on the stack; between "+function+" and its caller there is one more")
		}
		c.Edits = given.Edits
		place := func(n ast.Node) string {
			at := r.Package.Fset.PositionFor(n.Pos(), false)
			return fmt.Sprintf("%s:%d:%05d", filepath.Base(at.Filename), at.Line, at.Column)
		}
		note := func(all map[ast.Node]string, what string) (lines []string) {
			byPlace := map[string]string{}
			for n, text := range all {
				byPlace[place(n)] = text
			}
			for _, at := range slices.Sorted(maps.Keys(byPlace)) {
				lines = append(lines, at[:strings.LastIndexByte(at, ':')]+": "+what+byPlace[at])
			}
			return lines
		}
		c.Done, c.Left = note(given.Done, "values come from "), note(given.Left, "")
		if len(c.Done) == 0 {
			return nil, errors.New("nothing is allocated in the arena")
		}
		return c, nil
	}
}

// give generates the edits for the request. Values that other code may keep after the result is
// dead remain on the Go heap.
func give(r *change.Request, w own.Wish, world *change.World, programs []change.Program) (own.Given, error) {
	var looked []*keeps.Functions
	for _, p := range programs {
		f, err := keeps.Look(p.Root, p.Others)
		if err != nil {
			return own.Given{}, err
		}
		looked = append(looked, f)
	}
	out := map[keeps.Memory]string{} // reasons that memory may escape, by kind
	w.Stays = func(m own.Memory) string { return out[kindOf(m)] }
	for {
		given, err := own.GiveArena(r.Package, world, w)
		if err != nil {
			return given, cmp.Or(firstReason(out), err)
		}
		why, found := whyOutlives(looked, w.Function, given)
		if why == "" {
			return given, nil
		}
		if owner := found[keeps.ValueOf(given.Owner)]; owner != "" {
			return given, errors.New("the owner may make values after Reset: " + owner)
		}
		before := len(out)
		maps.Copy(out, found)
		if len(out) == before { // the kinds of escaping memory are unknown
			return given, errors.New(why)
		}
	}
}

// whyOutlives returns the reason why arena memory may outlive the call in one of the programs, with
// a position, or "" if none may. It also returns the kinds of memory that may outlive the call.
func whyOutlives(looked []*keeps.Functions, function string, given own.Given) (why string, out map[keeps.Memory]string) {
	made := map[keeps.Memory]bool{}
	for _, m := range given.Made {
		made[kindOf(m)] = true
	}
	for _, f := range looked {
		if why, out = f.Where(function, made, given.Owner); why != "" {
			break
		}
	}
	return why, out
}

// kindOf returns the kind of memory that a site allocates.
func kindOf(m own.Memory) keeps.Memory {
	if m.List {
		return keeps.ListOf(m.Type)
	}
	return keeps.ValueOf(m.Type)
}

// firstReason returns the reason for the first kind of memory, in sorted order, as an error. It
// returns nil if there is none.
func firstReason(out map[keeps.Memory]string) error {
	for _, m := range slices.Sorted(maps.Keys(out)) {
		return errors.New(out[m])
	}
	return nil
}
