package main

import (
	"embed"
	"fmt"
	"strings"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
)

// A topic is a help page that is not about one command: coppice help NAME prints it.
type topic struct {
	name, what string
	text       func() string
}

//go:embed topics/*.txt
var topicTexts embed.FS

// topics returns the topics, in the order of the help.
func topics() []topic {
	return []topic{
		{"environment", "the environment variables that it reads", written("environment")},
		{"exit-codes", "what its exit codes mean", exitCodes},
		{"files", "where it writes", written("files")},
		{"remedy", "the remedies of coppice find; coppice help remedy NAME explains one", remedyList},
		{"units", "the units of figures and flags", written("units")},
	}
}

// written returns a function that returns the text of a topic from a file.
func written(name string) func() string {
	return func() string {
		text, err := topicTexts.ReadFile("topics/" + name + ".txt")
		if err != nil {
			panic(err) // the compiler has embedded it
		}
		return string(text)
	}
}

// exitCodes describes the usual exit codes, and the exit codes of the commands that use different
// ones.
func exitCodes() string {
	var out strings.Builder
	fmt.Fprintf(&out, "Usage errors (2) take one line on standard error, which says how to correct them.\n\n")
	line := func(command, codes string) {
		fmt.Fprintf(&out, "  %-18s  %s\n", command, strings.TrimPrefix(codes, "exit code: "))
	}
	for _, c := range cli.Codes() {
		line(c.Command, c.Codes)
	}
	line("all others", cli.UsualCodes)
	return out.String()
}

// topicForms returns a line of the help for each topic.
func topicForms() (all []form) {
	for _, t := range topics() {
		all = append(all, form{"help " + t.name, t.what})
	}
	return all
}

// topicNames returns the names of the topics.
func topicNames() (all []string) {
	for _, t := range topics() {
		all = append(all, t.name)
	}
	return all
}

// topicNamed returns the topic of that name, or nil if there is none.
func topicNamed(name string) *topic {
	for _, t := range topics() {
		if t.name == name {
			return &t
		}
	}
	return nil
}
