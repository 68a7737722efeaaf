package main

import (
	"embed"
	"fmt"
	"strings"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
)

// A topic is a help page that is not tied to one command. The command coppice help NAME prints it.
type topic struct {
	name, what string
	text       func() string
}

//go:embed topics/*.txt
var topicTexts embed.FS

// topics returns the help topics, in the order in which the help lists them.
func topics() []topic {
	return []topic{
		{"environment", "the environment variables that it reads", written("environment")},
		{"exit-codes", "what its exit codes mean", exitCodes},
		{"files", "where it writes", written("files")},
		{"remedy", "the remedies of coppice find; coppice help remedy NAME explains one", remedyList},
		{"units", "the units of figures and flags", written("units")},
	}
}

// written returns a function that reads the text of a topic from an embedded file.
func written(name string) func() string {
	return func() string {
		text, err := topicTexts.ReadFile("topics/" + name + ".txt")
		if err != nil {
			panic(err) // unreachable, because the file was embedded at compile time
		}
		return string(text)
	}
}

// exitCodes returns the text of the exit-codes topic. It lists the usual exit codes, and the exit
// codes of each command that uses different ones.
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

// topicForms returns the help lines that list the topics.
func topicForms() (all []form) {
	for _, t := range topics() {
		all = append(all, form{"help " + t.name, t.what})
	}
	return all
}

// topicNames returns the names of all topics.
func topicNames() (all []string) {
	for _, t := range topics() {
		all = append(all, t.name)
	}
	return all
}

// topicNamed returns the topic with the given name, or nil if there is none.
func topicNamed(name string) *topic {
	for _, t := range topics() {
		if t.name == name {
			return &t
		}
	}
	return nil
}
