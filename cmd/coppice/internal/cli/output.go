package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// WriteJSON writes v as JSON, indented with tabs.
func WriteJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "\t")
	return encoder.Encode(v)
}

// WriteTo calls write with the named file, or with stdout if name is empty.
func WriteTo(name string, stdout io.Writer, write func(io.Writer) error) error {
	if name == "" {
		return write(stdout)
	}
	if err := WriteFile(name, write); err != nil {
		return fmt.Errorf("-out: %w; name a writable file", err)
	}
	return nil
}

// WriteFile creates a file and calls write with it.
func WriteFile(name string, write func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}

// List splits a flag's value at its commas. It trims spaces, and drops empty elements and
// duplicates.
func List(value string) (all []string) {
	for part := range strings.SplitSeq(value, ",") {
		if part = strings.TrimSpace(part); part != "" && !slices.Contains(all, part) {
			all = append(all, part)
		}
	}
	return all
}

// Sentence joins names for use in a sentence, such as "a, b and c".
func Sentence(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
