package rules

import (
	"strings"
	"testing"
)

func TestParseErrors(t *testing.T) {
	const good = "module = \"m\"\n[[rule]]\npackage = \"m/p\"\ntypes = [\"T\"]\nsites = [\"literal\"]\n"
	if f, err := Parse("r.toml", []byte(good)); err != nil || len(f.Rules) != 1 || f.Rules[0].Size == 0 || f.Rules[0].First == 0 {
		t.Fatalf("%+v, %v", f, err)
	}
	for want, text := range map[string]string{
		"r.toml:4: unknown key rule.typs":                        strings.Replace(good, "types", "typs", 1),
		"r.toml: rules need a module":                            strings.Replace(good, "\"m\"", "\"\"", 1),
		"rule 1: it names no package":                            strings.Replace(good, "m/p", "", 1),
		"rule 1: it names no types":                              strings.Replace(good, "\"T\"", "", 1),
		"rule 1: it names no sites":                              strings.Replace(good, "\"literal\"", "", 1),
		"rule 1: chunk has no sites \"call\"":                    strings.Replace(good, "literal", "call", 1),
		"rule 1: slab has no sites \"string\"":                   strings.Replace(good, "literal", "string", 1),
		"rule 1: invalid form \"heap\": must be one of":          good + "forms = [\"heap\"]\n",
		"rule 1: invalid size -1 or first 4: must be at least 1": good + "size = -1\n",
		"rule 1: pattern \"[\": syntax error in pattern":         strings.Replace(good, "\"T\"", "\"[\"", 1),
	} {
		if _, err := Parse("r.toml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one line with %q", err, want)
		}
	}
}
