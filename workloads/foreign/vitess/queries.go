package main

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/coppice-go/coppice/workloads/foreign/driver"
)

// testQueries returns the queries in the parser's test data that it can parse, without
// duplicates.
func testQueries() ([]string, error) {
	folder, err := driver.Module("vitess", "vitess.io/vitess")
	if err != nil {
		return nil, err
	}
	folder = filepath.Join(folder, "go", "vt", "sqlparser", "testdata")
	parser := sqlparser.NewTestParser()
	var all []string
	seen := map[string]bool{}
	for _, name := range []string{"select_cases.txt", "union_cases.txt", "django_queries.txt", "lobsters.sql.gz"} {
		queries, err := read(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		for _, query := range queries {
			if seen[query] {
				continue
			}
			seen[query] = true
			driver.Reset()
			if _, err := parser.Parse(query); err == nil {
				all = append(all, query)
			}
		}
	}
	if len(all) == 0 {
		return nil, errors.New("the parser's test data has no queries")
	}
	return all, nil
}

// read returns the queries of a file: one per line or, in files of test cases, from INPUT to
// END.
func read(name string) (all []string, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var text io.Reader = file
	if filepath.Ext(name) == ".gz" {
		if text, err = gzip.NewReader(file); err != nil {
			return nil, err
		}
	}
	cases := strings.HasSuffix(name, "_cases.txt")
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		switch line := lines.Text(); {
		case !cases:
			all = append(all, line)
		case line == "INPUT":
			var query []string
			for lines.Scan() && lines.Text() != "END" {
				query = append(query, lines.Text())
			}
			all = append(all, strings.Join(query, "\n"))
		}
	}
	return all, lines.Err()
}
