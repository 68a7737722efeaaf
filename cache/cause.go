package cache

// A DeletionCause is the reason for the removal of an entry.
type DeletionCause int

// These are the possible causes. The first four have the same names in otter.
const (
	CauseInvalidation DeletionCause = iota + 1 // deleted by Delete, a DeleteOp, or SetTTL with no time to live
	CauseReplacement                           // replaced by another value
	CauseOverflow                              // evicted to make room
	CauseExpiration                            // expired
	CauseClear                                 // removed by Clear
)

// String returns the name of the cause in lower case, such as "overflow".
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
