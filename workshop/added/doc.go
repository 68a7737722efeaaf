// Package added follows the table "To add something" of docs/ARCHITECTURE.md. For each row of it a
// script in testdata makes a change of that kind in a copy of the repository, and runs the check
// that, according to the row, fails until the change is complete.
package added
