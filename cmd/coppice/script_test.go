package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// TestMain lets the scripts call the program as the command coppice.
func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"coppice": main}) }

func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		// The lines after `[!full] stop` in a script are slow.
		Condition: func(name string) (bool, error) {
			if name != "full" {
				return false, fmt.Errorf("no condition %q", name)
			}
			return testsize.Full(), nil
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("ROOT", root)
			for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "HOME", "GOPROXY", "GONOPROXY", "GOSUMDB", "GONOSUMDB", "GOPRIVATE"} {
				if v, ok := os.LookupEnv(name); ok {
					env.Setenv(name, v)
				}
			}
			return nil
		},
	})
}

func TestExitCodes(t *testing.T) {
	for args, want := range map[string]int{
		"":                                   exitUsage,
		"bal":                                exitUsage,
		"lab rnu":                            exitUsage,
		"version":                            exitOK,
		"help":                               exitOK,
		"lab run nothing":                    exitUsage,
		"lab run binary-trees -class fast":   exitUsage,
		"lab run binary-trees -contenders x": exitUsage,
		"lab run -help":                      exitOK,
		"lab report no/such/folder":          exitFailure,
	} {
		var stdout, stderr strings.Builder
		got := run(t.Context(), strings.Fields(args), &stdout, &stderr)
		if got != want || want != exitOK && strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("coppice %s: exit code %d, want %d; %q", args, got, want, stderr.String())
		}
	}
}
