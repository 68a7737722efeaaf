// Package nearest finds the names that were probably meant by a misspelt name.
package nearest

import (
	"fmt"
	"slices"
)

// Names returns the names with the smallest edit distance to name, nearest first. The parameter
// most limits the number of results. The time to compare two names is proportional to the product
// of their lengths.
func Names(name string, all []string, most int) []string {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b string) int { return edits(name, a) - edits(name, b) })
	return sorted[:min(most, len(sorted))]
}

// Hint returns "did you mean NAME? ", or "" if none of the names is near. A name is near if it
// differs by one edit, or by at most one edit for every three letters.
func Hint(name string, all []string) string {
	found := Names(name, all, 1)
	if len(found) == 0 || edits(name, found[0]) > max(1, len(name)/3) {
		return ""
	}
	return fmt.Sprintf("did you mean %s? ", found[0])
}

// edits returns the edit distance between a and b: the number of bytes that must be inserted,
// deleted, replaced, or exchanged with the next byte (optimal string alignment).
func edits(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replaced := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			rows[i][j] = min(replaced, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
