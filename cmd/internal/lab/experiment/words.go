package experiment

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
)

// checkExperimentName wants a name that the command line takes for one, and a title of one line.
func checkExperimentName(name, title string) error {
	if strings.HasPrefix(name, "-") || strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || r == '/' }) {
		return fmt.Errorf("the experiment's name is %q; want one word without a slash that does not begin with a dash", name)
	}
	return printable("the title", title)
}

// checkWords wants texts of one line, and paths below the root of the repository.
func (c Contender) checkWords() error {
	for what, text := range map[string]string{"the name": c.Name, "the language": c.Language, "the group": c.Group} {
		if err := printable(what, text); err != nil {
			return err
		}
	}
	if len(c.Build) > 0 && strings.TrimSpace(c.Build[0]) == "" || strings.TrimSpace(c.Run[0]) == "" {
		return errors.New("a command has no program; its first word is empty")
	}
	for _, path := range c.Program {
		if !filepath.IsLocal(path) {
			return outside("program", path)
		}
	}
	if err := relative("build", c.Build); err != nil {
		return err
	}
	return relative("run", c.Run)
}

// printable wants a text that can be shown in a line.
func printable(what, text string) error {
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return fmt.Errorf("%s is %q; want one line without control characters", what, text)
	}
	return nil
}

// relative wants a command to run the same in every checkout. Its program has no absolute path, and
// no path that leaves the root; in a build no word has.
func relative(key string, command []string) error {
	for i, word := range command {
		leaves := filepath.IsAbs(word) || strings.HasPrefix(filepath.ToSlash(filepath.Clean(word))+"/", "../")
		if leaves && (i == 0 || key == "build" && !strings.HasPrefix(word, "/dev/")) {
			return outside(key, word)
		}
	}
	return nil
}

func outside(key, path string) error {
	return fmt.Errorf("%s names %s; want a path below the root of the repository, relative to it", key, path)
}
