// Package queries runs the queries of docs/CORPORA.md in DuckDB. It is a module of its own, so that
// nobody else builds DuckDB.
package queries
