// Package added tests the table "To add something" of docs/ARCHITECTURE.md. For each row, a script
// in testdata makes the change that the row describes, in a copy of the repository. The script then
// runs the check that the row names. The check must fail until the change is complete.
package added
