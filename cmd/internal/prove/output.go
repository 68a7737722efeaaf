package prove

import (
	"bytes"
	"context"
	"fmt"

	"github.com/coppice-go/coppice/cmd/internal/process"
)

// compareOutput compares the output and the exit code of the commands, for each combination of
// parameter values. It compares hashes, because outputs may be too large to keep. Only the
// beginning of an output is kept, to show the first difference.
func (c *commands) compareOutput(ctx context.Context, r *Result) error {
	if len(c.Equal) == 0 {
		return nil
	}
	c.Show.Stage("comparing what the commands print")
	for _, v := range c.variants {
		if err := c.compareVariant(ctx, v, r); err != nil {
			return err
		}
	}
	return nil
}

// compareVariant compares the commands for one combination of parameter values. The base runs
// twice. If its two outputs differ, for example because the program prints a time or an address, a
// difference in the head proves nothing. Two empty outputs are not counted as equal results;
// otherwise a command that only prints an error message would pass.
func (c *commands) compareVariant(ctx context.Context, v variant, r *Result) error {
	with := ""
	if v.name != commandSubject {
		with = v.name + ": "
	}
	first, err := c.execute(ctx, v, 0, process.Hashed)
	if err != nil {
		return err
	}
	second, err := c.execute(ctx, v, 0, process.Hashed)
	if err != nil {
		return err
	}
	for i := range r.Comparisons {
		e := &r.Comparisons[i].Equality
		out, err := c.execute(ctx, v, i+1, process.Hashed)
		if err != nil {
			return err
		}
		switch {
		case ending(first) != ending(out):
			e.Unequal = append(e.Unequal, fmt.Sprintf("%sit ends with %s, not %s", with, ending(out), ending(first)))
		case first.Sum != second.Sum:
			e.Left = append(e.Left, with+"the output of the base differs from run to run")
		case first.Sum != out.Sum:
			e.Unequal = append(e.Unequal, with+difference(first, out))
		case out.Printed == 0 && out.Failure == "":
			e.Left = append(e.Left, with+"neither prints any output")
		case out.Printed == 0 && len(first.Stderr)+len(out.Stderr) > 0: // usage errors end like this
			e.Left = append(e.Left, fmt.Sprintf("%sboth end with %s and print nothing but errors", with, ending(out)))
		case out.Failure == "":
			e.raise(Output, fmt.Sprintf("%s%s printed", with, counted(int(out.Printed), "byte")))
		default:
			e.raise(Output, fmt.Sprintf("%s%s printed, %s", with, counted(int(out.Printed), "byte"), ending(out)))
		}
	}
	return nil
}

// difference describes the first difference between two outputs, if it is in the parts that were
// kept.
func difference(was, now process.Outcome) string {
	if bytes.Equal(was.Stdout, now.Stdout) {
		return fmt.Sprintf("it prints %s, not %s, and the first %d are the same", counted(int(now.Printed), "byte"), counted(int(was.Printed), "byte"), len(was.Stdout))
	}
	before, after := bytes.Split(was.Stdout, []byte("\n")), bytes.Split(now.Stdout, []byte("\n"))
	for i := range before {
		if i >= len(after) {
			return fmt.Sprintf("it prints %d lines, not %d", len(after), len(before))
		}
		if !bytes.Equal(before[i], after[i]) {
			return fmt.Sprintf("line %d of what it prints is %s, not %s", i+1, shortened(after[i]), shortened(before[i]))
		}
	}
	return fmt.Sprintf("it prints %d lines, not %d", len(after), len(before))
}

func shortened(line []byte) string {
	const most = 40
	letters := []rune(string(line[:min(len(line), 8*most)]))
	if len(letters) > most {
		return fmt.Sprintf("%q…", string(letters[:most]))
	}
	return fmt.Sprintf("%q", string(letters))
}
