package fix

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/coppice-go/coppice/cmd/internal/trees"
)

// diff returns a patch in git's format that changes the contents in before to the contents in
// after. Files that are missing in before are read from the user's tree.
func (l *loop) diff(ctx context.Context, before, after map[string][]byte) (string, error) {
	files := map[string]trees.File{}
	for name, content := range after {
		rel, err := l.rel(name)
		if err != nil {
			return "", err
		}
		f := trees.File{Before: before[name], After: content}
		if _, known := before[name]; !known {
			if f.Before, err = os.ReadFile(name); errors.Is(err, fs.ErrNotExist) {
				f.New = true
			} else if err != nil {
				return "", err
			}
		}
		files[rel] = f
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			return "", fmt.Errorf("the change to %s would be undone", name)
		}
	}
	return trees.Diff(ctx, l.Scratch.Path, files)
}
