package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// programs contains the names of the programs that are released as binaries.
var programs = []string{"coppice", "coppice-vet"}

// platforms lists the platforms for which programs are built by default. The flag -platforms
// overrides the list.
const platforms = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

// carried contains the names of the files that each archive contains in addition to the programs:
// the license of Coppice, and the licenses of the third-party code in the programs.
var carried = []string{"LICENSE", "NOTICE"}

// A binaries builds the programs of a version as a user of that version would, and packs them into
// an archive for each platform.
type binaries struct {
	root, version, out string
	temp               string // temporary folder, which build removes at the end
	made               time.Time
}

// build writes an archive for each platform to the folder out, and a file with the checksums of the
// archives. The programs contain their version, like programs that go install builds.
func (b binaries) build(targets []string) (err error) {
	if b.temp, err = os.MkdirTemp("", "coppice-release-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.temp)) }()
	if err := os.MkdirAll(b.out, 0o777); err != nil {
		return err
	}
	seconds, err := git(b.root, "log", "-1", "--format=%cI")
	if err != nil {
		return err
	}
	if b.made, err = time.Parse(time.RFC3339, strings.TrimSpace(seconds)); err != nil {
		return err
	}
	if err := b.carry(); err != nil {
		return err
	}
	env, err := b.module()
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, target := range targets {
		name, err := b.platform(target, env)
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		data, err := os.ReadFile(filepath.Join(b.out, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), name)
	}
	return os.WriteFile(filepath.Join(b.out, "checksums.txt"), []byte(sums.String()), 0o666)
}

// carry writes the files in carried to the temporary folder. It copies the LICENSE, and generates
// the NOTICE.
func (b binaries) carry() error {
	text, err := os.ReadFile(filepath.Join(b.root, "LICENSE"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(b.temp, "LICENSE"), text, 0o666); err != nil {
		return err
	}
	return command(b.root, os.Environ(), "go", "run", "./workshop/licences", "-notice", filepath.Join(b.temp, "NOTICE"))
}

// module creates a module that requires the programs at the given version, as the module of a user
// would, and returns the environment for building it. In this environment, the modules of this
// repository are read from a folder, and other modules from the module cache of this machine or
// from its module proxy.
func (b binaries) module() (env []string, err error) {
	served := filepath.Join(b.temp, "proxy")
	if err := pack(b.root, b.version, served); err != nil {
		return nil, err
	}
	out, err := exec.Command("go", "env", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		return nil, err
	}
	known := strings.Split(strings.TrimSpace(string(out)), "\n")
	env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-modcacherw -buildvcs=false", "CGO_ENABLED=0", "GONOSUMDB="+library+"/*,"+library,
		"GOMODCACHE="+filepath.Join(b.temp, "modules"), "GOPROXY="+strings.Join([]string{address(served), address(filepath.Join(known[0], "cache", "download")), known[1]}, ","))
	sum, err := os.ReadFile(filepath.Join(b.root, "cmd", "go.sum"))
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(b.temp, "build")
	if err := os.Mkdir(dir, 0o777); err != nil {
		return nil, err
	}
	mod := "module example.org/build\n\ngo 1.26.0\n"
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666), os.WriteFile(filepath.Join(dir, "go.sum"), sum, 0o666)); err != nil {
		return nil, err
	}
	get := []string{"go", "get"}
	for _, p := range programs {
		get = append(get, library+"/cmd/"+p+"@"+b.version)
	}
	return env, command(dir, env, get...)
}

// address returns the file URL of a folder, for use in GOPROXY.
func address(dir string) string { return "file:///" + strings.TrimPrefix(filepath.ToSlash(dir), "/") }

// platform builds the programs for one platform and packs them. It returns the name of the archive.
func (b binaries) platform(target string, env []string) (string, error) {
	system, machine, _ := strings.Cut(target, "/")
	name := "coppice_" + b.version + "_" + system + "_" + machine
	built := filepath.Join(b.temp, name)
	build := []string{"go", "build", "-trimpath", "-o", built + string(filepath.Separator)}
	for _, p := range programs {
		build = append(build, library+"/cmd/"+p)
	}
	if err := command(filepath.Join(b.temp, "build"), append(slices.Clip(env), "GOOS="+system, "GOARCH="+machine), build...); err != nil {
		return "", err
	}
	files := make([]string, 0, len(programs)+len(carried))
	for _, p := range programs {
		if system == "windows" {
			p += ".exe"
		}
		files = append(files, filepath.Join(built, p))
	}
	for _, c := range carried {
		files = append(files, filepath.Join(b.temp, c))
	}
	write := tarred
	if name += ".tar.gz"; system == "windows" {
		name, write = strings.TrimSuffix(name, ".tar.gz")+".zip", zipped
	}
	to, err := os.Create(filepath.Join(b.out, name))
	if err != nil {
		return "", err
	}
	return name, errors.Join(write(to, files, b.made), to.Close())
}

// modeOf returns the file mode that a file has in an archive.
func modeOf(file string) os.FileMode {
	if slices.Contains(carried, filepath.Base(file)) {
		return 0o644
	}
	return 0o755
}

// tarred writes files to a compressed tar archive, for Unix. All files have the time of the commit,
// so that the same files always result in the same archive.
func tarred(to io.Writer, files []string, made time.Time) error {
	packed := gzip.NewWriter(to)
	archive := tar.NewWriter(packed)
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		header := tar.Header{Name: filepath.Base(name), Mode: int64(modeOf(name)), Size: int64(len(data)), ModTime: made}
		if err := archive.WriteHeader(&header); err != nil {
			return err
		}
		if _, err := archive.Write(data); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), packed.Close())
}

// zipped writes files to a zip archive, for Windows.
func zipped(to io.Writer, files []string, made time.Time) error {
	archive := zip.NewWriter(to)
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		header := zip.FileHeader{Name: filepath.Base(name), Method: zip.Deflate, Modified: made.UTC()}
		header.SetMode(modeOf(name))
		w, err := archive.CreateHeader(&header)
		if err != nil {
			return err
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
	}
	return archive.Close()
}

// command runs a command. If it fails, the error includes its output.
func command(dir string, env []string, words ...string) error {
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir, cmd.Env = dir, env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(words, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}
