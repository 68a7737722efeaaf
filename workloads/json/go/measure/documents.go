package measure

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// documentNames lists the documents that the contenders parse. The names are used for the files and
// in the output. The files are test data of a published module, in the version that the go.mod file
// of peers names, and are not copied here.
var documentNames = []string{"canada_geometry", "citm_catalog", "golang_source", "synthea_fhir", "twitter_status"}

// carrier is the path of the module that contains the documents.
const carrier = "github.com/bytedance/sonic"

// A Document is a text to parse.
type Document struct {
	Name string
	Text []byte
}

// Documents reads all documents. peers is the folder of the module that requires the carrier.
func Documents(peers string) (all []Document, err error) {
	folder, err := carrierFolder(peers)
	if err != nil {
		return nil, err
	}
	for _, name := range documentNames {
		text, err := unzip(filepath.Join(folder, "testdata", name+".json.gz"))
		if err != nil {
			return nil, fmt.Errorf("document %s: %w", name, err)
		}
		all = append(all, Document{name, text})
	}
	return all, nil
}

// carrierFolder asks the go command for the module's folder.
func carrierFolder(peers string) (string, error) {
	if _, err := os.Stat(filepath.Join(peers, "go.mod")); err != nil {
		return "", fmt.Errorf("there is no %s/go.mod here; run it in the root of a checkout of Coppice", peers)
	}
	cmd := exec.Command("go", "-C", peers, "list", "-m", "-f", "{{.Dir}}", carrier)
	cmd.Env = append(os.Environ(), "GOWORK=off") // peers is not in the workspace
	out, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return "", fmt.Errorf("go list -m %s: %s", carrier, strings.Join(strings.Fields(string(failed.Stderr)), " "))
	}
	if err != nil {
		return "", fmt.Errorf("go list -m %s: %w", carrier, err)
	}
	folder := strings.TrimSpace(string(out))
	if folder == "" {
		return "", fmt.Errorf("%s is not in the module cache; run make deps", carrier)
	}
	return folder, nil
}

func unzip(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}
