package main

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// mostProfile is how long a CPU profile may take by default.
const mostProfile = 3 * time.Minute

// A jsonFlag is -json, and -json=FILE.
type jsonFlag struct {
	instead *bool // of the screen
	file    *string
}

// String is empty: there is no default.
func (j *jsonFlag) String() string { return "" }

// IsBoolFlag says that no value is needed.
func (j *jsonFlag) IsBoolFlag() bool { return true }

// Set takes the name of a file, or what package flag gives a flag without a value.
func (j *jsonFlag) Set(text string) error {
	if is, err := strconv.ParseBool(text); err == nil {
		*j.instead = is
	} else {
		*j.file = text
	}
	return nil
}

// jsonToFile takes a name behind -json, which package flag leaves among the packages. No package ends in .json.
func (o *findFlags) jsonToFile() {
	i := slices.IndexFunc(o.Packages, func(p string) bool { return strings.HasSuffix(p, ".json") })
	if !o.json || i < 0 {
		return
	}
	o.json, o.jsonFile = false, o.Packages[i]
	if o.Packages = slices.Delete(o.Packages, i, i+1); len(o.Packages) == 0 {
		o.Packages = []string{"."}
	}
}
