// Command vitess parses queries with the SQL parser of vitess.io/vitess. The problem is in
// ../spec.md.
package main

import (
	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/coppice-go/coppice/workloads/foreign/driver"
)

// passes is the number of times a run at the default depth parses all queries.
const passes = 12

// queries parses many queries, one after another.
type queries struct {
	texts  []string
	parser *sqlparser.Parser
}

func main() { driver.Main("vitess", &queries{}) }

// Load reads the queries.
func (q *queries) Load(depth int) (int, error) {
	var err error
	if q.texts, err = testQueries(); err != nil {
		return 0, err
	}
	q.parser = sqlparser.NewTestParser()
	return driver.Operations(depth, passes), nil
}

// Operate parses all queries. The tree of each query is dead when the next one is parsed.
func (q *queries) Operate() error {
	for _, text := range q.texts {
		driver.Reset()
		if _, err := q.parser.Parse(text); err != nil {
			return err
		}
	}
	return nil
}

// Sum parses all queries once more, and prints each tree.
func (q *queries) Sum() (uint64, error) {
	s := driver.NewSum()
	for _, text := range q.texts {
		driver.Reset()
		tree, err := q.parser.Parse(text)
		if err != nil {
			return 0, err
		}
		s.Text(sqlparser.String(tree))
	}
	return uint64(s), nil
}
