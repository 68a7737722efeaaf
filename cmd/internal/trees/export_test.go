package trees

// CopyAtMost makes copies of files that git does not follow rare, until restore is called.
func CopyAtMost(bytes int64, files int) (restore func()) {
	b, f := mostBytes, mostFiles
	mostBytes, mostFiles = bytes, files
	return func() { mostBytes, mostFiles = b, f }
}
