package cache

// A DeletionCause is why an entry went.
type DeletionCause int

// The causes. The first four are those of otter.
const (
	CauseInvalidation DeletionCause = iota + 1 // Delete took it out, or a DeleteOp, or SetTTL with no time to live
	CauseReplacement                           // a value was put in its place
	CauseOverflow                              // it was evicted to make room
	CauseExpiration                            // its time had come
	CauseClear                                 // Clear took all out
)

// String returns the name of the cause in lower case, as "overflow".
func (c DeletionCause) String() string {
	switch c {
	case CauseInvalidation:
		return "invalidation"
	case CauseReplacement:
		return "replacement"
	case CauseOverflow:
		return "overflow"
	case CauseExpiration:
		return "expiration"
	case CauseClear:
		return "clear"
	}
	return "unknown"
}
