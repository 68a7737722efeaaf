package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// Glimpse is a public trace of a text retrieval system, from the LIRS paper (Jiang and Zhang,
// SIGMETRICS 2002). It consists mostly of loops: 6,015 requests for about 2,500 different blocks.
// The trace is a file of the ristretto module, under the Apache License 2.0. It is not in this
// repository: the go command fetches the module by its version.
const (
	glimpseModule = "github.com/dgraph-io/ristretto/v2@v2.4.2"
	glimpseFile   = "sim/gli.lirs.gz"
	glimpseHash   = "c300a0bff8149373bdbb7df3fa440e621aba920b0ec6bcc7a936f360f782511c" // SHA-256 of the file
)

// glimpse returns the blocks that the trace requests.
func glimpse() ([]uint64, error) {
	folder, err := fetch(glimpseModule)
	if err != nil {
		return nil, err
	}
	name := filepath.Join(folder, filepath.FromSlash(glimpseFile))
	packed, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return blocks(packed, glimpseHash)
}

// fetch lets the go command download a module that is not in its cache yet, and returns the
// module's folder.
func fetch(module string) (string, error) {
	command := exec.Command("go", "mod", "download", "-json", module)
	command.Dir = os.TempDir() // outside any module
	text, err := command.Output()
	var answer struct{ Dir, Error string }
	if wrong := json.Unmarshal(text, &answer); wrong != nil {
		return "", fmt.Errorf("go mod download %s: %w", module, errors.Join(err, wrong))
	}
	if err != nil || answer.Dir == "" {
		return "", fmt.Errorf("go mod download %s: %s", module, answer.Error)
	}
	return answer.Dir, nil
}

// blocks reads numbers, one per line, from a gzip file that must have the given hash.
func blocks(packed []byte, hash string) (all []uint64, err error) {
	if sum := sha256.Sum256(packed); hex.EncodeToString(sum[:]) != hash {
		return nil, fmt.Errorf("the trace has the SHA-256 %x, and %s is the one that was measured with", sum, hash)
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(unpacked); ; {
		if !lines.Scan() {
			return all, lines.Err()
		}
		if lines.Text() == "" {
			continue
		}
		n, err := strconv.ParseUint(lines.Text(), 10, 64)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
}
