package flatgen

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"

	"github.com/coppice-go/coppice/cmd/internal/lineend"
	"github.com/coppice-go/coppice/internal/flatlayout"
)

// lockName is the name of the file that stores the schema texts of all versions. The versions are
// in chronological order, and are separated by empty lines.
const lockName = "flat.lock"

// A locked is a schema version in the lock file.
type locked struct {
	text string
	*flatlayout.Schema
}

// readLock reads the earlier versions from the lock file into the model. It returns an error if the
// schema is older than the last of them; see docs/decisions/0012.
func readLock(m *schema.Model, path string) error {
	versions, err := parseLock(path)
	if err != nil || len(versions) == 0 {
		return err
	}
	now, last := m.Schema, versions[len(versions)-1]
	if now.Version == 0 {
		return fmt.Errorf("%[1]s lists versions of the schema, but the schema declares none; restore its flat:version, or delete %[1]s if old files need not load", path)
	}
	if now.Version < last.Version {
		return fmt.Errorf("%s has version %d, but the schema is version %d; versions only grow, because files of version %d may exist: continue from that one, "+
			"or restore flat.lock from the commit of this schema if later files need not load", path, last.Version, now.Version, last.Version)
	}
	for _, old := range versions {
		if old.text == now.Text() {
			return nil // old is the last version
		}
		if err := now.Extends(old.Schema); err != nil {
			return fmt.Errorf("files of version %d would become unreadable: %w; see Evolution in docs/FLAT.md, or delete %s if old files need not load", old.Version, err, path)
		}
		if old.Version == now.Version {
			return fmt.Errorf("the schema has changed since version %d; write flat:version %d", old.Version, old.Version+1)
		}
		m.Earlier = append(m.Earlier, old.text)
	}
	return nil
}

// parseLock returns the versions in a lock file, or none if the file does not exist.
func parseLock(path string) (versions []locked, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	last := 0
	for text := range strings.SplitSeq(strings.ReplaceAll(string(lineend.Unix(data)), "\n\n", "\n\x00"), "\x00") {
		schema, err := flatlayout.Parse(text)
		if err == nil && schema.Version <= last {
			err = fmt.Errorf("version %d cannot follow version %d", schema.Version, last)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w; take the file from the last commit that has all versions", path, err)
		}
		last = schema.Version
		versions = append(versions, locked{text, schema})
	}
	return versions, nil
}
