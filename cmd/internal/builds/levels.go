package builds

import (
	"context"
	"slices"
	"strings"
)

// A level is a feature level of a processor architecture, such as GOAMD64=v2 or GO386=softfloat.
// The go command sets build tags for it.
type level struct {
	setting string   // environment variable and its value; empty for the level of this process
	tags    []string // build tags, such as amd64.v1 and amd64.v2
}

// least contains the lowest feature level of each architecture. A build for this level leaves out
// files for higher levels.
var least = map[string]string{
	"386": "softfloat", "amd64": "v1", "arm": "5", "arm64": "v8.0", "mips": "softfloat", "mipsle": "softfloat", "mips64": "softfloat", "mips64le": "softfloat",
	"ppc64": "power8", "ppc64le": "power8", "riscv64": "rva20u64",
}

// levelVariable returns the name of the environment variable that sets an architecture's feature
// level, such as GOAMD64.
func levelVariable(arch string) string { return "GO" + strings.ToUpper(strings.TrimSuffix(arch, "le")) }

// findLevels asks the go command for the tags of feature levels. It does so only for the
// architectures whose levels are mentioned in files of the module. For each of these, it asks for
// the mentioned levels, the lowest level, and the level that the environment sets. A value that the
// go command rejects does not define a level; its tag is treated like a user's tag.
func (s *Set) findLevels(ctx context.Context) error {
	for arch, values := range s.rules.wanted(s.module) {
		for _, value := range append([]string{"", least[arch]}, values...) {
			l := level{}
			if value != "" {
				l.setting = levelVariable(arch) + "=" + value
			}
			env := []string{"GOARCH=" + arch}
			if l.setting != "" {
				env = append(env, l.setting)
			}
			tool, err := s.runIn(ctx, s.module.root, env, "list", "-f", `{{join context.ToolTags " "}}`, "unsafe")
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err != nil {
				continue
			}
			for _, tag := range strings.Fields(string(tool)) {
				if of, _, _ := strings.Cut(tag, "."); of == arch {
					l.tags = append(l.tags, tag)
				}
			}
			if !slices.ContainsFunc(s.rules.levels[arch], func(known level) bool { return slices.Equal(known.tags, l.tags) }) {
				s.rules.levels[arch] = append(s.rules.levels[arch], l)
			}
		}
	}
	return nil
}

// wanted returns the feature levels that the constraints of a module's files mention, by
// architecture.
func (r *rules) wanted(m *module) map[string][]string {
	all := map[string][]string{}
	for _, folder := range m.folders {
		for _, file := range folder.files {
			for _, tag := range tagsOf(file.class) {
				arch, value, _ := strings.Cut(tag, ".")
				if value != "" && !slices.Contains(all[arch], value) && slices.ContainsFunc(r.platforms, func(p platform) bool { return p.GOARCH == arch }) {
					all[arch] = append(all[arch], value)
				}
			}
		}
	}
	return all
}

// isLevel reports whether a tag belongs to a known feature level.
func (r *rules) isLevel(tag string) bool {
	arch, _, _ := strings.Cut(tag, ".")
	return slices.ContainsFunc(r.levels[arch], func(l level) bool { return slices.Contains(l.tags, tag) })
}

// levelTags returns the feature-level tags that the go command sets in a configuration. It returns
// none for an architecture whose levels no file of the module mentions.
func (r *rules) levelTags(c Config) []string {
	for _, l := range r.levels[c.GOARCH] {
		if l.setting == c.Level {
			return l.tags
		}
	}
	return nil
}
