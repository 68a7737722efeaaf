// Package queries runs the queries of docs/CORPORA.md in DuckDB. It is a separate module, so that
// no other module builds DuckDB.
package queries
