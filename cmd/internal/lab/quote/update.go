package quote

import "strings"

// Update replaces outdated figures in a document with today's values, both in the text and in the
// comments. A figure remains unchanged if its new value would alter the meaning of the sentence: if
// a difference is newly proven or no longer proven, or if a gain has become a loss. Line endings
// are preserved.
func Update(document string, from Results) (string, error) {
	all, err := Parse(document)
	if err != nil {
		return "", err
	}
	lines, ends := split(document)
	for _, s := range all {
		text := strings.Join(lines[s.first:s.last], "\n")
		done := 0 // end of the updated part of text
		for _, f := range s.Figures {
			at, end := position(text[done:], f.Text)
			if at < 0 {
				continue
			}
			at, end = done+at, done+end
			is := text[at:end]
			if value, _, err := s.current(f, from); err == nil && sameSense(f.Text, value) {
				is = value
				lines[f.Line-1] = is + strings.TrimPrefix(lines[f.Line-1], f.Text)
			}
			text = text[:at] + is + text[end:]
			done = at + len(is)
		}
		copy(lines[s.first:s.last], strings.Split(text, "\n"))
	}
	for i, end := range ends {
		lines[i] += end
	}
	return strings.Join(lines, "\n"), nil
}

// sameSense reports whether a sentence remains true if one figure replaces the other.
func sameSense(was, is string) bool {
	negative := func(figure string) bool { return strings.HasPrefix(figure, "-") }
	return was != noDifference && is != noDifference && negative(was) == negative(is)
}
