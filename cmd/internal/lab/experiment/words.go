package experiment

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/coppice-go/coppice/cmd/internal/nearest"
)

// checkExperimentName checks that the command line accepts the name, and that the title is a single
// printable line.
func checkExperimentName(name, title string) error {
	if strings.HasPrefix(name, "-") || strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || r == '/' }) {
		return fmt.Errorf("invalid experiment name %q: must be one word that contains no slash and does not begin with a dash", name)
	}
	return printable("the title", title)
}

// checkWords checks that the names of a contender, its language and its group are printable, that
// its commands are not empty, and that its paths are inside the repository.
func (c Contender) checkWords() error {
	for what, text := range map[string]string{"the name": c.Name, "the language": c.Language, "the group": c.Group} {
		if err := printable(what, text); err != nil {
			return err
		}
	}
	if len(c.Build) > 0 && strings.TrimSpace(c.Build[0]) == "" || strings.TrimSpace(c.Run[0]) == "" {
		return errors.New("a command has no program; its first word is empty")
	}
	for _, name := range c.Program {
		if !filepath.IsLocal(name) {
			return outside("program", name)
		}
	}
	if err := relative("build", c.Build); err != nil {
		return err
	}
	return relative("run", c.Run)
}

// checkDeclared checks that commands contain only the placeholders that they may use, and that keys
// that depend on each other are set together. answers states whether the experiment has an expected
// command.
func (c Contender) checkDeclared(answers bool) error {
	if err := checkPlaceholders("build", c.Build); err != nil {
		return err
	}
	if err := checkPlaceholders("run", c.Run); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		value := c.Env[name]
		if i := slices.IndexFunc(used([]string{value}), func(word string) bool { return slices.Contains(placeholders["run"], word) }); i >= 0 {
			return fmt.Errorf("env has %s = %q, where placeholders are not replaced; put it into run", name, value)
		}
	}
	switch {
	case Uses(c.Run, Bin) && len(c.Build) == 0:
		return errors.New("run uses {bin}, but no build command creates it")
	case c.Reports && !Uses(c.Run, Report):
		return errors.New("it reports metrics, but run has no {report}, the file for them")
	case c.Least != "" && !answers:
		return fmt.Errorf("it has least %q, but no expected command reports the value to compare with", c.Least)
	}
	return nil
}

// checkFiles checks that the files of a program exist, if it has no build command that could create
// them.
func (c Contender) checkFiles(tree fs.FS) error {
	if len(c.Build) > 0 {
		return nil
	}
	for _, name := range c.Program {
		name = path.Clean(filepath.ToSlash(name))
		if _, err := fs.Stat(tree, name); err == nil {
			continue
		}
		folder, base := path.Split(name)
		entries, _ := fs.ReadDir(tree, path.Clean(folder)) // empty if the folder does not exist
		var there []string
		for _, e := range entries {
			there = append(there, e.Name())
		}
		text := fmt.Sprintf("program names %s, which does not exist, and no build command creates it", name)
		if hint := strings.TrimSpace(nearest.Hint(base, there)); hint != "" {
			text += "; " + strings.Replace(hint, "mean ", "mean "+folder, 1)
		}
		return errors.New(text)
	}
	return nil
}

// printable returns an error unless text can be printed on one line. what names the text in the
// error.
func printable(what, text string) error {
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return fmt.Errorf("%s is %q; want one line without control characters", what, text)
	}
	return nil
}

// relative checks that a command works in the same way in every checkout. Its program must not be
// an absolute path or a path outside the repository. In a build command, this applies to every
// word, except for paths in /dev.
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
