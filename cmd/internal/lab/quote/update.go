package quote

import "strings"

// Update writes today's values into a document, in its texts and in their comments. It leaves a
// figure unchanged if the new value would alter the meaning of a sentence: if a difference is
// newly proven or no longer proven, or if a gain became a loss. Each line keeps its line ending.
func Update(document string, from Results) (string, error) {
	all, err := Parse(document)
	if err != nil {
		return "", err
	}
	lines, ends := split(document)
	for _, s := range all {
		text := strings.Join(lines[s.first:s.last], "\n")
		done := 0 // the end of the text that is done
		for _, f := range s.Figures {
			at, end := position(text[done:], f.Text)
			if at < 0 {
				continue
			}
			at, end = done+at, done+end
			is := text[at:end]
			if value, _, err := s.today(f, from); err == nil && sameSense(f.Text, value) {
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

// sameSense reports whether the words of a sentence stay true if one figure replaces the other.
func sameSense(was, is string) bool {
	negative := func(figure string) bool { return strings.HasPrefix(figure, "-") }
	return was != noDifference && is != noDifference && negative(was) == negative(is)
}
