package main

import "testing"

// lints asks for the plugin as golangci-lint does, which is built in another test.
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
	s.must("go", "get", library+"/golangci@"+rehearsed)
	if got := s.must("go", "run", "."); got != "<nil>\n" {
		t.Errorf("the plugin is not registered: %s", got)
	}
}
