package cli

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/cli/browser"
)

// OpenUsage is the usage text of the flag -open, which all commands that write a page have.
const OpenUsage = "open the page in a browser, too"

// patience is how long Open waits for the program that opens pages. Some of these programs exit at
// once, others when the browser is closed.
var patience = 3 * time.Second

// Open opens a page with the program that the system provides for this: xdg-open, open or the shell
// of Windows. A page that cannot be opened is not an error: Open prints the reason and the location
// of the page to stderr. It prints nothing else, and discards the output of the program.
func Open(page string, stderr io.Writer) {
	address := fileURL(page)
	err := opened(address)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		fmt.Fprintf(stderr, "coppice: -open: PATH has no program that opens pages; the page is %s\n", address)
	case err != nil:
		fmt.Fprintf(stderr, "coppice: -open: the browser could not be started (%v); the page is %s\n", err, address)
	}
}

// fileURL returns the file URL of a file, for use in a browser.
func fileURL(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	path := filepath.ToSlash(name)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a Windows path, such as C:/results/index.html
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

var quietly sync.Once

// opened opens an address in the browser. It returns nil if the program is still running after
// patience.
func opened(address string) error {
	// Without writers, the program writes to the null device, which stays writable after coppice
	// exits.
	quietly.Do(func() { browser.Stdout, browser.Stderr = nil, nil })
	ended := make(chan error, 1)
	go func() { ended <- browser.OpenURL(address) }()
	select {
	case err := <-ended:
		return err
	case <-time.After(patience):
		return nil
	}
}
