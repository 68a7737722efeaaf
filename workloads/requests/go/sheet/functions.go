package sheet

import "strconv"

// A function is a built-in function that sheets may call.
type function uint8

const (
	countFunction function = iota // the length of a list
	joinFunction                  // the texts of a list, joined with a separator
	maxFunction                   // the largest number in a list
	minFunction                   // the smallest number in a list
	priceFunction                 // the price of a product in the catalog
	sumFunction                   // the sum of the numbers in a list
	textFunction                  // a number as decimal digits
	upperFunction                 // a text with its ASCII letters in upper case
)

const functionNames = "count join max min price sum text upper"

func functionOf(name string) (f function, ok bool) {
	switch name {
	case "count":
		return countFunction, true
	case "join":
		return joinFunction, true
	case "max":
		return maxFunction, true
	case "min":
		return minFunction, true
	case "price":
		return priceFunction, true
	case "sum":
		return sumFunction, true
	case "text":
		return textFunction, true
	case "upper":
		return upperFunction, true
	}
	return 0, false
}

// arguments returns the number of parameters of the function.
func (f function) arguments() int {
	if f == joinFunction {
		return 2
	}
	return 1
}

func (e *evaluator) call(x *call) value {
	argument := x.arguments[0]
	switch x.function {
	case countFunction:
		return ofNumber(e.arena, int64(len(e.list(argument))))
	case joinFunction:
		return e.join(x)
	case maxFunction, minFunction:
		return e.extreme(x)
	case priceFunction:
		sku := e.text(argument)
		cents, ok := e.price(sku)
		if !ok {
			return e.fail(argument, "the catalog has no %.40q", sku)
		}
		return ofNumber(e.arena, cents)
	case sumFunction:
		return e.sum(argument)
	case textFunction:
		e.scratch = strconv.AppendInt(e.scratch[:0], e.number(argument), 10)
		return e.made(argument)
	default: // upperFunction
		e.scratch = appendUpper(e.scratch[:0], e.text(argument))
		return e.made(argument)
	}
}

func (e *evaluator) join(x *call) value {
	items, between := e.list(x.arguments[0]), e.text(x.arguments[1])
	e.scratch = e.scratch[:0]
	for i, item := range items {
		t, ok := item.(*textValue)
		if !ok {
			return e.fail(x.arguments[0], "join wants texts, and item %d is %s", i, item.kind())
		}
		if i > 0 {
			e.scratch = append(e.scratch, between...)
		}
		e.scratch = append(e.scratch, t.s...)
		if !e.spend(x, 1+(len(between)+len(t.s))/textPerWork) {
			return zero
		}
	}
	return e.made(x)
}

// numberAt returns item i of a list, which must be a number.
func (e *evaluator) numberAt(x expression, items []value, i int) int64 {
	if n, ok := items[i].(*numberValue); ok {
		return n.n
	}
	e.fail(x, "want numbers, and item %d is %s", i, items[i].kind())
	return 0
}

func (e *evaluator) extreme(x *call) value {
	items := e.list(x.arguments[0])
	if len(items) == 0 {
		return e.fail(x, "an empty list has neither max nor min")
	}
	best := e.numberAt(x, items, 0)
	for i := range items {
		if n := e.numberAt(x, items, i); x.function == maxFunction {
			best = max(best, n)
		} else {
			best = min(best, n)
		}
	}
	e.spend(x, len(items))
	return ofNumber(e.arena, best)
}

func (e *evaluator) sum(x expression) value {
	items := e.list(x)
	total, fits := int64(0), true
	for i := range items {
		if total, fits = plus(total, e.numberAt(x, items, i)); !fits {
			return e.fail(x, "the sum does not fit 64 bits")
		}
	}
	e.spend(x, len(items))
	return ofNumber(e.arena, total)
}

// appendUpper appends a string with its ASCII letters in capitals.
func appendUpper(b []byte, text string) []byte {
	for i := range len(text) {
		c := text[i]
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		b = append(b, c)
	}
	return b
}
