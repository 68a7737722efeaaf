package sheet

import "github.com/coppice-go/coppice/arena"

// An evaluator traverses the tree of one sheet. After its first error every value is zero, and
// every loop ends.
type evaluator struct {
	sheet   *Sheet
	arena   *arena.Arena
	price   Prices
	slots   []value // values of the names in scope
	scratch []byte  // buffer for the text that is being built
	depth   int
	work    int // the remaining work
	err     *Error
}

// Prices returns the price of a product of the catalog, and reports whether it exists.
type Prices func(sku string) (cents int64, ok bool)

// textPerWork is the number of bytes of text per unit of work.
const textPerWork = 16

func (e *evaluator) fail(x expression, format string, args ...any) value {
	if e.err == nil {
		e.err = errorAt(e.sheet.source, x.begins(), format, args...)
	}
	return zero
}

// spend subtracts an amount from the remaining work, and reports whether there was enough.
func (e *evaluator) spend(x expression, work int) bool {
	e.work -= work
	if e.work < 0 {
		e.fail(x, "the sheet takes more than %d units of work", maxWork)
	}
	return e.err == nil
}

// evaluate returns the value of the expression.
func (e *evaluator) evaluate(x expression) value {
	if !e.spend(x, 1) {
		return zero
	}
	switch x := x.(type) {
	case *number:
		return &x.value
	case *text:
		return &x.value
	case *boolean:
		return ofBoolean(x.value)
	case *variable:
		return e.slots[x.slot]
	}
	// A chain of operators is parsed in a loop, and evaluated by recursion.
	if e.depth == maxDepth {
		return e.fail(x, "nested deeper than %d", maxDepth)
	}
	e.depth++
	v := e.inner(x)
	e.depth--
	return v
}

// inner evaluates an expression that contains others.
func (e *evaluator) inner(x expression) value {
	switch x := x.(type) {
	case *unary:
		return e.unary(x)
	case *binary:
		return e.binary(x)
	case *conditional:
		if e.boolean(x.condition) {
			return e.evaluate(x.yes)
		}
		return e.evaluate(x.no)
	case *list:
		v := arena.New[listValue](e.arena)
		v.items = arena.Make[value](e.arena, len(x.items))
		for i, item := range x.items {
			v.items[i] = e.evaluate(item)
		}
		return v
	case *record:
		v := arena.New[recordValue](e.arena)
		v.shape, v.items = x, arena.Make[value](e.arena, len(x.fields))
		for i := range x.fields {
			v.items[i] = e.evaluate(x.fields[i].value)
		}
		return v
	case *comprehension:
		return e.comprehension(x)
	case *selection:
		return e.selection(x)
	case *element:
		items, index := e.list(x.list), e.number(x.index)
		if e.err != nil || index < 0 || index >= int64(len(items)) {
			return e.fail(x, "the list has %d items, and no item %d", len(items), index)
		}
		return items[index]
	case *call:
		return e.call(x)
	}
	panic("sheet: an expression of a type that the parser does not make")
}

// comprehension stores each item of the source in a slot, from which the condition and the
// result expression read it.
func (e *evaluator) comprehension(x *comprehension) value {
	v := arena.New[listValue](e.arena)
	for _, item := range e.list(x.source) {
		e.slots[x.slot] = item
		if x.condition == nil || e.boolean(x.condition) {
			v.items = arena.Append(e.arena, v.items, e.evaluate(x.item))
		}
		if !e.spend(x, 1) {
			break
		}
	}
	return v
}

func (e *evaluator) selection(x *selection) value {
	v := e.evaluate(x.record)
	r, ok := v.(*recordValue)
	if !ok {
		return e.fail(x, "want a record before .%.40s, and this is %s", x.name, v.kind())
	}
	for i := range r.shape.fields {
		if r.shape.fields[i].name == x.name {
			return r.items[i]
		}
	}
	return e.fail(x, "the record has no field %.40q", x.name)
}

// The next four functions evaluate an expression whose value must be of one kind.

func (e *evaluator) number(x expression) int64 {
	v := e.evaluate(x)
	if n, ok := v.(*numberValue); ok {
		return n.n
	}
	e.fail(x, "want a number, and this is %s", v.kind())
	return 0
}

func (e *evaluator) boolean(x expression) bool {
	v := e.evaluate(x)
	if b, ok := v.(*booleanValue); ok {
		return b.is
	}
	e.fail(x, "want true or false, and this is %s", v.kind())
	return false
}

func (e *evaluator) text(x expression) string {
	v := e.evaluate(x)
	if t, ok := v.(*textValue); ok {
		return t.s
	}
	e.fail(x, "want a text, and this is %s", v.kind())
	return ""
}

func (e *evaluator) list(x expression) []value {
	v := e.evaluate(x)
	if l, ok := v.(*listValue); ok {
		return l.items
	}
	e.fail(x, "want a list, and this is %s", v.kind())
	return nil
}

// made returns the text in scratch as a value.
func (e *evaluator) made(x expression) value {
	if !e.spend(x, len(e.scratch)/textPerWork) {
		return zero
	}
	v := arena.New[textValue](e.arena)
	v.s = e.arena.String(e.scratch)
	return v
}
