package btree_test

import (
	"fmt"
	"sync"

	"github.com/coppice-go/coppice/btree"
)

// departures returns a timetable for the day of a strike, which maps departure times to train
// numbers, and a Snapshot of the timetable from before the strike.
func departures() (*btree.Map[uint64, uint64], *btree.Snapshot[uint64, uint64]) {
	m := btree.Must(btree.New[uint64, uint64](btree.Options{}))
	for train, at := range []uint64{605, 730, 815, 950, 1120} {
		m.Set(at, uint64(train+1))
	}
	planned := m.Snapshot()
	m.Delete(730)
	m.Delete(950)
	return m, planned
}

func ExampleSnapshot_Get() {
	m, planned := departures()
	defer m.Close()
	defer planned.Close()
	fmt.Println(m.Get(730))
	fmt.Println(planned.Get(730))
	// Output:
	// 0 false
	// 2 true
}

func ExampleSnapshot_Has() {
	m, planned := departures()
	defer m.Close()
	defer planned.Close()
	for at := range planned.All() {
		if !m.Has(at) && planned.Has(at) {
			fmt.Println("cancelled:", at)
		}
	}
	// Output:
	// cancelled: 730
	// cancelled: 950
}

func ExampleSnapshot_Len() {
	m, planned := departures()
	defer m.Close()
	defer planned.Close()
	fmt.Printf("%d of %d trains run\n", m.Len(), planned.Len())
	// Output: 3 of 5 trains run
}

// A goroutine may read a Snapshot while another goroutine changes the Map.
func ExampleSnapshot_All() {
	m, planned := departures()
	defer m.Close()
	defer planned.Close()
	var reader sync.WaitGroup
	reader.Go(func() { fmt.Println(keys(planned.All())) })
	m.Clear()
	reader.Wait()
	// Output: [605 730 815 950 1120]
}

func ExampleSnapshot_Backward() {
	m, planned := departures()
	defer m.Close()
	defer planned.Close()
	for at, train := range planned.Backward() {
		fmt.Printf("the last train is %d, at %d\n", train, at)
		break
	}
	// Output: the last train is 5, at 1120
}

func ExampleSnapshot_Range() {
	m, planned := departures()
	defer m.Close()
	defer planned.Close()
	fmt.Println("from 7 to 9:", keys(planned.Range(700, 900)))
	// Output: from 7 to 9: [730 815]
}

func ExampleSnapshot_Ascend() {
	m, planned := departures()
	defer m.Close()
	defer planned.Close()
	fmt.Println("after 9:", keys(planned.Ascend(900)))
	// Output: after 9: [950 1120]
}

func ExampleSnapshot_Descend() {
	m, planned := departures()
	defer m.Close()
	defer planned.Close()
	for at := range planned.Descend(900) {
		fmt.Println("to be there at 9, take the train at", at)
		break
	}
	// Output: to be there at 9, take the train at 815
}

func ExampleSnapshot_Min() {
	m, planned := departures()
	defer m.Close()
	defer planned.Close()
	at, train, _ := planned.Min()
	fmt.Printf("train %d is the first, at %d\n", train, at)
	// Output: train 1 is the first, at 605
}

func ExampleSnapshot_Max() {
	m, planned := departures()
	defer m.Close()
	defer planned.Close()
	at, train, _ := planned.Max()
	fmt.Printf("train %d is the last, at %d\n", train, at)
	// Output: train 5 is the last, at 1120
}

func ExampleSnapshot_Seek() {
	m, planned := departures()
	defer m.Close()
	defer planned.Close()
	const now = 835
	was, _, _ := planned.Seek(now)
	is, _, _ := m.Seek(now)
	fmt.Printf("the next train was at %d and is at %d\n", was, is)
	// Output: the next train was at 950 and is at 1120
}

// A Snapshot keeps the nodes that the Map has since replaced. Close frees them.
func ExampleSnapshot_Close() {
	m, planned := departures()
	defer m.Close()
	fmt.Println("held:", m.Stats().HeldNodes)
	if err := planned.Close(); err != nil {
		fmt.Println(err)
	}
	fmt.Println("held:", m.Stats().HeldNodes)
	// Output:
	// held: 1
	// held: 0
}

func ExampleSnapshot_Keys() {
	m := btree.Must(btree.New[string, uint64](btree.Options{}))
	defer m.Close()
	m.Set("a", 1)
	s := m.Snapshot()
	defer s.Close()
	m.Delete("a")
	for k := range s.Keys() {
		fmt.Println(k)
	}
	// Output: a
}

func ExampleSnapshot_Values() {
	m := btree.Must(btree.New[string, uint64](btree.Options{}))
	defer m.Close()
	m.Set("a", 1)
	s := m.Snapshot()
	defer s.Close()
	m.Set("a", 2)
	for v := range s.Values() {
		fmt.Println(v)
	}
	// Output: 1
}

func ExampleSnapshot_AllBytes() {
	m := btree.Must(btree.New[string, uint64](btree.Options{}))
	defer m.Close()
	m.Set("ash", 2)
	s := m.Snapshot()
	defer s.Close()
	m.Set("elm", 3)
	for k, v := range s.AllBytes() {
		fmt.Println(string(k), v)
	}
	// Output: ash 2
}
