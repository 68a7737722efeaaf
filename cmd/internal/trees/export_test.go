package trees

// CopyAtMost lowers the limits up to which files that git does not track are copied, until restore
// is called.
func CopyAtMost(bytes int64, files int) (restore func()) {
	b, f := mostBytes, mostFiles
	mostBytes, mostFiles = bytes, files
	return func() { mostBytes, mostFiles = b, f }
}
