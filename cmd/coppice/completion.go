package main

import (
	_ "embed"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/nearest"
)

// The completion scripts, one for each shell. A script is only a few lines long: for every
// completion it calls `coppice completion words`, which knows all flags of the installed version,
// and the experiments and benchmarks of the current folder. Libraries that generate completion
// scripts, such as github.com/spf13/cobra, cannot be used: they require flags with two dashes, but
// our flags have one dash, like the flags of the go command.
var (
	//go:embed completion/coppice.bash
	bashScript string
	//go:embed completion/coppice.zsh
	zshScript string
	//go:embed completion/coppice.fish
	fishScript string
	//go:embed completion/coppice.ps1
	powershellScript string
)

// shells lists the shells that have a completion script, in the order in which the help names them.
var shells = []struct{ name, script string }{
	{"bash", bashScript}, {"zsh", zshScript}, {"fish", fishScript}, {"powershell", powershellScript},
}

const completionUsage = `usage: coppice completion SHELL               print a script for bash, zsh, fish or powershell
       coppice completion words -- WORD...    print the completions of the last word, one per line

  bash        source <(coppice completion bash)                    in ~/.bashrc
  zsh         source <(coppice completion zsh)                     in ~/.zshrc, after compinit
  fish        coppice completion fish | source                     in ~/.config/fish/config.fish
  powershell  coppice completion powershell | Out-String | Invoke-Expression     in $PROFILE

It completes commands, flags, experiments, contenders, rules, revisions and the names of benchmarks.
`

// completion prints the completion script for a shell. When a script calls it, it prints the
// candidates for the last word of the command line instead.
func completion(args []string, stdout io.Writer) error {
	if len(args) > 0 && args[0] == "words" {
		words := args[1:]
		if len(words) > 0 && words[0] == "--" {
			words = words[1:]
		}
		return complete(words, stdout)
	}
	flags := flag.NewFlagSet("coppice completion", flag.ContinueOnError)
	if err := cli.ParseFlags(flags, completionUsage, args, stdout); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return cli.Usagef("coppice completion takes one shell, got %d arguments; try: coppice completion bash", flags.NArg())
	}
	for _, s := range shells {
		if s.name == flags.Arg(0) {
			_, err := io.WriteString(stdout, s.script)
			return err
		}
	}
	return cli.Usagef("unknown shell %q; %sthe shells are %s", flags.Arg(0), nearest.Hint(flags.Arg(0), shellNames()), strings.Join(shellNames(), ", "))
}

func shellNames() (names []string) {
	for _, s := range shells {
		names = append(names, s.name)
	}
	return names
}

// complete prints the candidates for the last word of a command line, one per line.
func complete(words []string, stdout io.Writer) error {
	if len(words) == 0 {
		words = []string{""}
	}
	line := make([]string, len(words))
	for i, w := range words {
		line[i] = unquoted(w)
	}
	line, lead := atEquals(line)
	last := line[len(line)-1]
	for _, c := range candidates(line[:len(line)-1], last) {
		if strings.HasPrefix(c, last) {
			fmt.Fprintln(stdout, lead+c)
		}
	}
	return nil
}

// unquoted removes the quotes and backslashes of a word, as the shell does. The closing quote may
// be missing.
func unquoted(word string) string {
	if word == "" || word == `""` || word == "''" {
		return ""
	}
	if quote := word[0]; quote == '\'' || quote == '"' {
		return strings.TrimSuffix(word[1:], string(quote))
	}
	return strings.ReplaceAll(word, `\`, "")
}

// atEquals splits the word -flag=value at the equals sign, so that value is the last word of the
// line. Bash has already split such a word. The other shells pass it whole and expect each
// candidate to begin with -flag=, which atEquals returns as lead.
func atEquals(line []string) (divided []string, lead string) {
	last := line[len(line)-1]
	if flag, value, ok := strings.Cut(last, "="); ok && strings.HasPrefix(flag, "-") {
		return append(slices.Clone(line[:len(line)-1]), flag, value), flag + "="
	}
	if last == "=" {
		return append(slices.Clone(line[:len(line)-1]), ""), ""
	}
	if n := len(line); n >= 3 && line[n-2] == "=" {
		return append(slices.Clone(line[:n-2]), last), ""
	}
	return line, ""
}
