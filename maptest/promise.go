package maptest

// A Promise is a property on which users of a map rely.
type Promise string

// These are the promises, in the order in which Run tests them.
const (
	SetIsFound       Promise = "a key that was set is found with its value, and no other key is"
	SetReplaces      Promise = "Set of a key that is there replaces its value, and adds none"
	LenCounts        Promise = "Len is the count of keys"
	DeleteTakesOne   Promise = "Delete takes one key away and no other, and says whether it was there"
	DeletedComeAgain Promise = "a key that was deleted can be set again, many times"
	GetOrSetSetsOnce Promise = "GetOrSet sets what is missing and nothing else"
	AllYieldsEach    Promise = "All yields each key once, with its value"
	AllStops         Promise = "All ends with its loop, and loops can be nested"
	AllIsOrdered     Promise = "All yields keys in order"
	AllAllowsChanges Promise = "in a loop over All that changes the map, keys that stay come once, and deleted ones do not come any more"
	KeysStay         Promise = "keys that All yielded remain as they were when the map is changed"
	ClearTakesAll    Promise = "Clear takes all keys away, and the map can be used again"
	CloneIsApart     Promise = "a clone has the same keys, and neither sees what happens to the other"
	ReopenKeeps      Promise = "a map that was saved and opened has the same keys, can be changed, and is apart from the original"
	AgreesWithAModel Promise = "after any calls the map is what a Go map would be"
)

// Promises returns all promises, in the order in which Run tests them.
func Promises() []Promise {
	return []Promise{SetIsFound, SetReplaces, LenCounts, DeleteTakesOne, DeletedComeAgain, GetOrSetSetsOnce, AllYieldsEach, AllStops, AllIsOrdered,
		AllAllowsChanges, KeysStay, ClearTakesAll, CloneIsApart, ReopenKeeps, AgreesWithAModel}
}
