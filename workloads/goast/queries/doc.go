// Package queries runs the queries of docs/CORPORA.md in DuckDB. It is a module of its own, so that
// no other module builds DuckDB.
package queries
