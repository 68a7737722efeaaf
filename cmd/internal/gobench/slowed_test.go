package gobench

import (
	"strings"
	"testing"
)

// Flags that change what is measured are named; others, and those that are off, are not.
func TestSlowed(t *testing.T) {
	for flags, want := range map[string]string{
		"": "", "-mod=mod -p=2": "", "-race=false": "", "-gcflags=-m": "", "-trimpath": "",
		"-race": "-race", "--race=true -mod=mod": "--race=true", "-cover -msan": "-cover and -msan", "'-gcflags=all=-N -l'": "-gcflags=all=-N",
	} {
		got := (&Tree{Settings: Settings{GOFLAGS: flags}}).Slowed()
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", flags, got, want)
		}
	}
}
