package gobench

import (
	"strings"
	"testing"
)

// TestSlowed verifies that Slowed reports the build flags that distort measurements, such as -race,
// and no others. A flag that is switched off is not reported.
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
