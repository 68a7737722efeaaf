// Package comment has an import comment, which stays in its line.
package comment // import "github.com/coppice-go/coppice/cmd/vet/slicegrowth/testdata/src/comment"

func ranged(all []string) []string {
	var out []string // want `append grows out`
	for _, s := range all {
		out = append(out, s)
	}
	return out
}
