package cache

// A mode determines where a shard inserts new entries. Each mode suits a different pattern of
// requests; see docs/decisions/0052.
type mode uint8

const (
	// balanced inserts new entries into the small queue, as S3-FIFO does.
	balanced mode = iota

	// recent inserts new entries into the main queue, which then evicts approximately in LRU order.
	// It suits requests whose popular keys change over time. In S3-FIFO, such a new key is often
	// evicted before it is used, while keys that are no longer used fill the main queue.
	recent

	// steady inserts new entries into the brief queue, from which they are evicted, and keeps the
	// entries of the other queues. It suits requests that loop over more keys than the cache can
	// hold. In such a loop every evicted entry is requested again, so it is best to evict few of
	// the old entries.
	steady
)

// These constants determine how many entries are inserted into a queue other than the usual queue
// of the mode. A constant n means one in n entries.
const (
	shareOfYounger = 10 // one in n new entries goes to the next younger queue, so that all queues advance at the same rate
	shareOfTrials  = 32 // in a steady shard, one in n returning entries replaces an entry of the main queue
)

// An adaptation selects the mode of a shard. To do so, it counts the evicted entries that return,
// that is, are requested again while their hashes are still in the ghost. Entries that were used at
// most once and entries that were used more often are counted separately, and the two counts are
// compared. The comparison of two ghost lists comes from ARC (Megiddo and Modha, ARC: a
// self-tuning, low overhead replacement cache, FAST 2003). Choosing only the insertion position of
// new entries comes from DIP (Qureshi et al., Adaptive insertion policies for high performance
// caching, ISCA 2007). Unlike in ARC, the sizes of the queues are fixed here; only the queue for
// new entries changes.
type adaptation struct {
	mode            mode
	turn            uint64    // number of new entries so far
	since           uint64    // number of additions to the ghost before the mode was selected
	added, returned [2]uint64 // per kind, over about the last 2n additions in a shard of n entries
}

// count records that a hash of kind k was added to the ghost. Once it has counted as many additions
// as the shard has entries, it selects the best mode. additions is the number of all additions to
// the ghost so far, and entries is the number of entries of the shard.
func (a *adaptation) count(k kind, additions uint64, entries int) {
	n := max(uint64(entries), ghostWays)
	if a.since > first && additions-a.since < n/2 {
		return // entries evicted now were inserted under the previous mode
	}
	if a.added[k]++; a.added[unused]+a.added[used] < n {
		return
	}
	if next := a.next(n); next != a.mode {
		a.begin(next, additions)
		return
	}
	for k := range a.added {
		a.added[k] /= 2
		a.returned[k] /= 2
	}
}

// begin selects mode m, which may be the same mode as before, and resets the counts.
func (a *adaptation) begin(m mode, additions uint64) {
	*a = adaptation{mode: m, turn: a.turn, since: additions}
}

// next returns the best mode for the current counts, in a shard of n entries.
func (a *adaptation) next(n uint64) mode {
	addedUnused, addedUsed := a.added[unused], a.added[used]
	ratioUnused := float64(a.returned[unused]) / float64(max(addedUnused, 1))
	ratioUsed := float64(a.returned[used]) / float64(max(addedUsed, 1))
	switch {
	case addedUsed > n/32 && ratioUsed > 0.7:
		return steady
	case a.mode == steady && ratioUnused >= 0.5 && (addedUsed <= n/64 || ratioUsed >= 0.5):
		return steady
	case a.mode == recent:
		if ratioUsed > ratioUnused+0.05 || ratioUnused < 0.03 && addedUnused > 5*addedUsed {
			return balanced
		}
		return recent
	case addedUsed > n/32 && ratioUnused > 0.15 && ratioUsed < ratioUnused/2:
		return recent
	}
	return balanced
}

// returns records that an evicted entry of kind k was requested again: a new entry has been added
// whose hash was still in the ghost. ago is the number of additions to the ghost since that hash
// was added.
func (a *adaptation) returns(k kind, ago, additions uint64) {
	if ago+a.since <= additions {
		a.returned[k]++
	}
}

// place returns the index of the queue for a new entry: 0 is the brief queue, 1 the small queue,
// and 2 the main queue. known reports whether the hash of the entry was in the ghost.
func (a *adaptation) place(known bool) int {
	a.turn++
	usual, trial := 1, known
	switch a.mode {
	case recent:
		usual = 2
	case steady:
		trial = known && a.turn%shareOfTrials == 0
		usual = 0
	}
	switch {
	case trial:
		return 2
	case usual > 0 && a.turn%shareOfYounger == 0:
		return usual - 1
	}
	return usual
}

// leaves returns the number of uses that an entry of a younger queue needs in order to move to the
// main queue instead of being evicted.
func (a *adaptation) leaves() uint64 {
	if a.mode == recent {
		return 1
	}
	return 2
}

// after returns the new frequency of an entry that stays in the main queue for another round; f is
// its old frequency. In mode recent, an entry stays for one more round regardless of how often it
// was used. Otherwise, an entry that was popular in the past would stay too long.
func (a *adaptation) after(f uint64) uint64 {
	if a.mode == recent {
		return 0
	}
	return f - 1
}
