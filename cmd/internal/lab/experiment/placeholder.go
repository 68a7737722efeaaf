package experiment

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/nearest"
)

// Placeholders in commands. A placeholder is a single word in braces, which the lab replaces with a
// value.
const (
	Bin     = "bin"     // path of the built program
	Depth   = "depth"   // the size of the problem
	Workers = "workers" // number of threads; words with it are dropped if no number is requested
	Report  = "report"  // name of the file to which the contender writes its own figures
	Group   = "group"   // group whose expected answer is computed
)

// placeholders lists the placeholders that each command may contain.
var placeholders = map[string][]string{
	"build":    {Bin, Depth},
	"run":      {Bin, Depth, Workers, Report},
	"expected": {Depth, Group},
}

// inBraces matches a word in single braces, which is a placeholder, or in double braces, which are
// an escape: {{word}} stands for {word}. Other text in braces, as in awk programs and Go templates,
// is left alone.
var inBraces = regexp.MustCompile(`\{\{([A-Za-z][\w-]*)\}\}|\{([A-Za-z][\w-]*)\}`)

// Fill replaces the placeholders in one word of a command with their values.
func Fill(word string, values map[string]string) string {
	return inBraces.ReplaceAllStringFunc(word, func(text string) string {
		found := inBraces.FindStringSubmatch(text)
		if found[1] != "" {
			return "{" + found[1] + "}"
		}
		if value, ok := values[found[2]]; ok {
			return value
		}
		return text
	})
}

// Uses reports whether a command contains the named placeholder.
func Uses(command []string, name string) bool { return slices.Contains(used(command), name) }

// used returns the names of the placeholders in a command.
func used(command []string) (all []string) {
	for _, word := range command {
		for _, found := range inBraces.FindAllStringSubmatch(word, -1) {
			if found[2] != "" {
				all = append(all, found[2])
			}
		}
	}
	return all
}

// checkPlaceholders checks that the command with the given key contains only the placeholders that
// it may use.
func checkPlaceholders(key string, command []string) error {
	known := placeholders[key]
	for _, name := range used(command) {
		if !slices.Contains(known, name) {
			return fmt.Errorf("%s has {%s}, which is not a placeholder; %sit may have {%s}, and {{%s}} stands for {%s}",
				key, name, nearest.Hint(name, known), strings.Join(known, "}, {"), name, name)
		}
	}
	return nil
}
