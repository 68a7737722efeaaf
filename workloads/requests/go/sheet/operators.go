package sheet

import (
	"cmp"
	"math"
)

func (e *evaluator) unary(x *unary) value {
	if x.operator == notWord {
		return ofBoolean(!e.boolean(x.operand))
	}
	n := e.number(x.operand)
	if n == math.MinInt64 {
		return e.fail(x, "the result does not fit 64 bits")
	}
	return ofNumber(e.arena, -n)
}

func (e *evaluator) binary(x *binary) value {
	switch x.operator {
	case andWord:
		return ofBoolean(e.boolean(x.left) && e.boolean(x.right))
	case orWord:
		return ofBoolean(e.boolean(x.left) || e.boolean(x.right))
	}
	switch left, right := e.evaluate(x.left), e.evaluate(x.right); l := left.(type) {
	case *numberValue:
		if r, ok := right.(*numberValue); ok {
			return e.numbers(x, l.n, r.n)
		}
		return e.unlike(x, left, right)
	case *textValue:
		if r, ok := right.(*textValue); ok {
			return e.texts(x, l.s, r.s)
		}
		return e.unlike(x, left, right)
	case *booleanValue:
		r, ok := right.(*booleanValue)
		switch {
		case !ok:
			return e.unlike(x, left, right)
		case x.operator == equal:
			return ofBoolean(l.is == r.is)
		case x.operator == notEqual:
			return ofBoolean(l.is != r.is)
		}
		return e.fail(x, "true and false have no arithmetic and no order")
	default:
		return e.fail(x, "no operator goes with %s", left.kind())
	}
}

func (e *evaluator) unlike(x *binary, left, right value) value {
	return e.fail(x, "an operator wants two of a kind, and here are %s and %s", left.kind(), right.kind())
}

// ordered returns the result of a comparison operator. order is the result of comparing the two
// operands: negative, zero or positive, as cmp.Compare returns it.
func ordered(operator tokenKind, order int) value {
	switch operator {
	case equal:
		return ofBoolean(order == 0)
	case notEqual:
		return ofBoolean(order != 0)
	case '<':
		return ofBoolean(order < 0)
	case lessOrEqual:
		return ofBoolean(order <= 0)
	case '>':
		return ofBoolean(order > 0)
	default: // greaterOrEqual
		return ofBoolean(order >= 0)
	}
}

func (e *evaluator) texts(x *binary, left, right string) value {
	switch {
	case precedence(x.operator) == comparison:
		e.spend(x, min(len(left), len(right))/textPerWork)
		return ordered(x.operator, cmp.Compare(left, right))
	case x.operator == '+':
		e.scratch = append(append(e.scratch[:0], left...), right...)
		return e.made(x)
	}
	return e.fail(x, "texts can be compared and added, and nothing else")
}

func (e *evaluator) numbers(x *binary, left, right int64) value {
	if precedence(x.operator) == comparison {
		return ordered(x.operator, cmp.Compare(left, right))
	}
	var result int64
	fits := true
	switch x.operator {
	case '+':
		result, fits = plus(left, right)
	case '-':
		result, fits = minus(left, right)
	case '*':
		result, fits = times(left, right)
	default: // '/' and '%'
		if right == 0 {
			return e.fail(x, "division by zero")
		}
		// For the least number and -1, Go's quotient wraps around and the remainder is 0.
		result, fits = left/right, left != math.MinInt64 || right != -1 || x.operator == '%'
		if x.operator == '%' {
			result = left % right
		}
	}
	if !fits {
		return e.fail(x, "the result does not fit 64 bits")
	}
	return ofNumber(e.arena, result)
}
