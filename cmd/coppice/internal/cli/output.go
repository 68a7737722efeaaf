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

// WriteJSON writes a value as JSON with tabs.
func WriteJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "\t")
	return encoder.Encode(v)
}

// WriteTo writes to a file, or to stdout if it has no name.
func WriteTo(name string, stdout io.Writer, write func(io.Writer) error) error {
	if name == "" {
		return write(stdout)
	}
	if err := WriteFile(name, write); err != nil {
		return fmt.Errorf("-out: %w; name a writable file", err)
	}
	return nil
}

// WriteFile writes to a file that it creates.
func WriteFile(name string, write func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}

// List splits a flag's value at its commas. It drops blanks and duplicates.
func List(value string) (all []string) {
	for part := range strings.SplitSeq(value, ",") {
		if part = strings.TrimSpace(part); part != "" && !slices.Contains(all, part) {
			all = append(all, part)
		}
	}
	return all
}

// Sentence joins names for use in a sentence: with commas, and with "and" before the last name.
func Sentence(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
