package main

import "testing"

// lints writes a program that requests the plugin in the same way as golangci-lint. Another test
// builds golangci-lint itself with the plugin.
func lints(t *testing.T, s stranger) {
	s.write("go.mod", "module example.org/custom\n\ngo 1.26.0\n")
	s.write("main.go", `package main

import (
	"fmt"

	_ "github.com/coppice-go/coppice/golangci"
	"github.com/golangci/plugin-module-register/register"
)

func main() {
	_, err := register.GetPlugin("coppice")
	fmt.Println(err)
}
`)
	s.mustRun("go", "get", library+"/golangci@"+rehearsed)
	if got := s.mustRun("go", "run", "."); got != "<nil>\n" {
		t.Errorf("the plugin is not registered: %s", got)
	}
}
