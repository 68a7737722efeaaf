package main

import (
	"bytes"
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

const ciFolder = "../../docs/ci"

// A ciStep is a step of a GitHub workflow or action. It has only the fields that our files use.
type ciStep struct {
	ID      string            `yaml:"id"`
	If      string            `yaml:"if"`
	Uses    string            `yaml:"uses"`
	Run     string            `yaml:"run"`
	Shell   string            `yaml:"shell"`
	Folder  string            `yaml:"working-directory"`
	With    map[string]string `yaml:"with"`
	Env     map[string]string `yaml:"env"`
	isOfJob bool
}

// A ciWorkflow is a GitHub workflow, that is, a file in .github/workflows.
type ciWorkflow struct {
	Name        string            `yaml:"name"`
	On          any               `yaml:"on"`
	Permissions map[string]string `yaml:"permissions"`
	Concurrency string            `yaml:"concurrency"`
	Jobs        map[string]struct {
		RunsOn  string   `yaml:"runs-on"`
		Timeout int      `yaml:"timeout-minutes"`
		Steps   []ciStep `yaml:"steps"`
	} `yaml:"jobs"`
}

// A ciAction is a composite GitHub action.
type ciAction struct {
	Name        string `yaml:"name"`
	Description string `yaml:"description"`
	Inputs      map[string]struct {
		Description string `yaml:"description"`
		Default     string `yaml:"default"`
	} `yaml:"inputs"`
	Outputs map[string]struct {
		Description string `yaml:"description"`
		Value       string `yaml:"value"`
	} `yaml:"outputs"`
	Runs struct {
		Using string   `yaml:"using"`
		Steps []ciStep `yaml:"steps"`
	} `yaml:"runs"`
}

// A gitlabJob is a GitLab CI job.
type gitlabJob struct {
	Extends       string              `yaml:"extends"`
	Image         string              `yaml:"image"`
	Variables     map[string]string   `yaml:"variables"`
	Rules         []map[string]string `yaml:"rules"`
	BeforeScript  []string            `yaml:"before_script"`
	Script        []string            `yaml:"script"`
	ResourceGroup string              `yaml:"resource_group"`
	Cache         struct {
		Key   string   `yaml:"key"`
		Paths []string `yaml:"paths"`
	} `yaml:"cache"`
	AllowFailure struct {
		ExitCodes []int `yaml:"exit_codes"`
	} `yaml:"allow_failure"`
	Artifacts struct {
		When    string            `yaml:"when"`
		Paths   []string          `yaml:"paths"`
		Reports map[string]string `yaml:"reports"`
	} `yaml:"artifacts"`
}

// strictly decodes a YAML file from docs/ci and returns its text. A field that the type of into
// does not have is an error.
func strictly(t *testing.T, name string, into any) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(ciFolder, name))
	if err != nil {
		t.Fatal(err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return string(text)
}

var (
	ciPinned     = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40}$`)
	ciExpression = regexp.MustCompile(`\$\{\{.*?\}\}`)
	ciFlag       = regexp.MustCompile(`(?:^|\s)-([a-z][a-z-]*)\b`)
	ciInput      = regexp.MustCompile(`\binputs\.([\w-]+)`)
	ciOutput     = regexp.MustCompile(`\bsteps\.prove\.outputs\.(\w+)`)
	ciVariable   = regexp.MustCompile(`(?m)^#\t([A-Z]+) `)
)

// TestCIOfGitHub verifies that the workflows and the action for GitHub have only known fields, that
// they pin actions by a commit hash, and that their scripts are valid.
func TestCIOfGitHub(t *testing.T) {
	var action ciAction
	text := strictly(t, "action.yml", &action)
	if action.Runs.Using != "composite" || action.Name == "" || action.Description == "" {
		t.Errorf("%+v", action)
	}
	for _, m := range ciInput.FindAllStringSubmatch(text, -1) {
		if _, ok := action.Inputs[m[1]]; !ok {
			t.Errorf("action.yml has no input %s", m[1])
		}
	}
	for name, in := range action.Inputs {
		if in.Description == "" || !strings.Contains(text, "inputs."+name) {
			t.Errorf("action.yml: input %s has no description, or is not used", name)
		}
	}
	all := map[string][]ciStep{"action.yml": action.Runs.Steps}
	for _, name := range []string{"prove.yml", "history.yml"} {
		var w ciWorkflow
		text += strictly(t, name, &w)
		for _, job := range w.Jobs {
			if job.Timeout == 0 || job.RunsOn == "" || w.Permissions["contents"] != "read" {
				t.Errorf("%s: a job without a time limit or a runner, or with more than it needs", name)
			}
			for _, s := range job.Steps {
				s.isOfJob = true
				all[name] = append(all[name], s)
			}
		}
	}
	for _, m := range ciOutput.FindAllStringSubmatch(text, -1) {
		if !strings.Contains(ciScript(t), m[1]+"=%s") {
			t.Errorf("prove.sh writes no output %s", m[1])
		}
	}
	for name, steps := range all {
		for _, s := range steps {
			checkStep(t, name, s)
		}
	}
}

// ciScript returns the text of prove.sh.
func ciScript(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(ciFolder, "prove.sh"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func checkStep(t *testing.T, name string, s ciStep) {
	t.Helper()
	if (s.Uses == "") == (s.Run == "") {
		t.Errorf("%s: a step either uses an action or runs a script: %+v", name, s)
	}
	if s.Uses != "" && !ciPinned.MatchString(s.Uses) {
		t.Errorf("%s: %s is not pinned by the hash of a commit", name, s.Uses)
	}
	if s.Run == "" {
		return
	}
	if ciExpression.MatchString(s.Run) {
		t.Errorf("%s: an expression in a script is code for the shell; hand it over in env:\n%s", name, s.Run)
	}
	if !s.isOfJob && s.Shell == "" {
		t.Errorf("%s: a script of an action names its shell:\n%s", name, s.Run)
	}
	checkVariables(t, name, slices.Collect(maps.Keys(s.Env)), s.Run)
	checkShell(t, name, "#!/bin/bash\n"+s.Run)
	checkFlags(t, name, s.Run)
}

// checkVariables verifies that each variable is documented in prove.sh or read by the script
// itself.
func checkVariables(t *testing.T, name string, names []string, script string) {
	t.Helper()
	var known []string
	for _, m := range ciVariable.FindAllStringSubmatch(ciScript(t), -1) {
		known = append(known, m[1])
	}
	for _, v := range names {
		if !slices.Contains(known, v) && !strings.Contains(script, "$"+v) {
			t.Errorf("%s sets %s, and prove.sh knows %q", name, v, known)
		}
	}
}

// checkShell verifies that bash can parse the script and that shellcheck reports no warning. It
// skips a program that is not installed.
func checkShell(t *testing.T, name, script string) {
	t.Helper()
	for program, args := range map[string][]string{"bash": {"-n", "/dev/stdin"}, "shellcheck": {"-S", "warning", "-"}} {
		path, err := exec.LookPath(program)
		if err != nil {
			continue
		}
		cmd := exec.CommandContext(context.Background(), path, args...)
		cmd.Stdin = strings.NewReader(script)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %s: %v\n%s\n%s", name, program, err, out, script)
		}
	}
}

// checkFlags verifies that each flag after coppice prove or prove.sh is a flag of coppice prove.
func checkFlags(t *testing.T, name, script string) {
	t.Helper()
	i := slices.IndexFunc(table(), func(c command) bool { return c.name == "prove" })
	known := append(flagsOf(table()[i]), flagOf{name: "help"})
	for line := range strings.Lines(script) {
		_, rest, found := strings.Cut(line, "prove ")
		if !found {
			if _, rest, found = strings.Cut(line, "prove.sh "); !found {
				continue
			}
		}
		rest, _, _ = strings.Cut(rest, "||")
		for _, m := range ciFlag.FindAllStringSubmatch(rest, -1) {
			if !slices.ContainsFunc(known, func(f flagOf) bool { return f.name == m[1] }) {
				t.Errorf("%s: coppice prove has no flag -%s", name, m[1])
			}
		}
	}
}

// TestCIScript verifies that prove.sh, which all of these configurations run, is valid and uses
// only flags that coppice prove has.
func TestCIScript(t *testing.T) {
	text := ciScript(t)
	checkShell(t, "prove.sh", text)
	checkFlags(t, "prove.sh", text)
	for _, flag := range []string{"-record", "-junit", "-sarif", "-history"} {
		if !strings.Contains(text, flag+" ") {
			t.Errorf("prove.sh does not use %s", flag)
		}
	}
}

// TestCIOfGitLab verifies that the GitLab jobs have only known fields, extend existing jobs, upload
// JUnit XML, and contain valid scripts.
func TestCIOfGitLab(t *testing.T) {
	var jobs map[string]gitlabJob
	strictly(t, "prove.gitlab-ci.yml", &jobs)
	if len(jobs) != 3 {
		t.Errorf("%d jobs", len(jobs))
	}
	for name, j := range jobs {
		base := jobs[j.Extends]
		if j.Extends != "" && base.Image == "" {
			t.Errorf("%s extends %s, which is not there", name, j.Extends)
		}
		lines := strings.Join(slices.Concat(base.BeforeScript, j.BeforeScript, j.Script), "\n")
		checkShell(t, name, "#!/bin/bash\nset -e\n"+strings.ReplaceAll(lines, "$COPPICE_ARGUMENTS", "./..."))
		checkFlags(t, name, lines)
		checkVariables(t, name, slices.Collect(maps.Keys(j.Variables)), lines+"$GIT_DEPTH $COPPICE_ARGUMENTS")
		if strings.HasPrefix(name, ".") {
			continue
		}
		if len(j.Script) == 0 || len(j.Rules) == 0 || base.Artifacts.Reports["junit"] != ".prove/prove.xml" {
			t.Errorf("%s: %+v", name, j)
		}
	}
}

// TestCIChecksAreStrict verifies that the checks above detect errors.
func TestCIChecksAreStrict(t *testing.T) {
	if ciPinned.MatchString("actions/checkout@v5") || ciPinned.MatchString("actions/checkout@08c6903") {
		t.Error("a tag is taken for a commit")
	}
	var w ciWorkflow
	decoder := yaml.NewDecoder(strings.NewReader("name: x\njobs:\n  a:\n    runs_on: y\n"))
	decoder.KnownFields(true)
	if decoder.Decode(&w) == nil {
		t.Error("an unknown field is accepted")
	}
	if m := ciFlag.FindAllStringSubmatch(` -base "$x" -no-such-flag y`, -1); len(m) != 2 || m[1][1] != "no-such-flag" {
		t.Errorf("%q", m)
	}
	if !ciExpression.MatchString("a ${{ b }} c") {
		t.Error("an expression is not seen")
	}
}
