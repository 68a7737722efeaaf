package runner

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A tool that never answers is omitted from the report, and does not block the lab.
func TestToolThatHangs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	tools := t.TempDir()
	for name, script := range map[string]string{"gcc": "sleep 60 & sleep 60", "clang": "echo clang 99; echo more"} {
		if err := os.WriteFile(filepath.Join(tools, name), []byte("#!/bin/sh\n"+script+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", tools+":"+os.Getenv("PATH"))
	defer func(before time.Duration) { answerTime = before }(answerTime)
	answerTime = time.Second
	start := time.Now()
	values := Environment(t.Context(), Process{})
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
	if values["gcc"] != "" || values["clang"] != "clang 99" {
		t.Errorf("gcc is %q, clang is %q", values["gcc"], values["clang"])
	}
}

// Machines are told apart by a hash that does not tell their names.
func TestHostIsAHash(t *testing.T) {
	name, err := os.Hostname()
	if err != nil || name == "" {
		t.Skip("this machine has no name")
	}
	if host := hostOf(); len(host) != 8 || strings.Contains(host, name) || host != hostOf() {
		t.Errorf("%s is %q", name, host)
	}
}
