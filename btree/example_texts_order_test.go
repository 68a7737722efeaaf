package btree_test

import "fmt"

func ExampleTexts_AllBytes() {
	m := towns()
	defer m.Close()
	for town, where := range m.AllBytes() {
		fmt.Println(town, len(where))
	}
	// Output:
	// bonn 12
	// jena 12
	// ulm 13
}

func ExampleTexts_Keys() {
	m := towns()
	defer m.Close()
	for town := range m.Keys() {
		fmt.Println(town)
	}
	// Output:
	// bonn
	// jena
	// ulm
}

func ExampleTexts_Values() {
	m := towns()
	defer m.Close()
	for where := range m.Values() {
		fmt.Println(where)
	}
	// Output:
	// on the Rhine
	// on the Saale
	// on the Danube
}

func ExampleTexts_Backward() {
	m := towns()
	defer m.Close()
	for town := range m.Backward() {
		fmt.Println(town)
	}
	// Output:
	// ulm
	// jena
	// bonn
}

func ExampleTexts_Ascend() {
	m := towns()
	defer m.Close()
	for town := range m.Ascend("c") {
		fmt.Println(town)
	}
	// Output:
	// jena
	// ulm
}

func ExampleTexts_Descend() {
	m := towns()
	defer m.Close()
	for town := range m.Descend("k") {
		fmt.Println(town)
	}
	// Output:
	// jena
	// bonn
}

func ExampleTexts_Min() {
	m := towns()
	defer m.Close()
	town, where, ok := m.Min()
	fmt.Println(town, where, ok)
	// Output: bonn on the Rhine true
}

func ExampleTexts_Max() {
	m := towns()
	defer m.Close()
	town, where, ok := m.Max()
	fmt.Println(town, where, ok)
	// Output: ulm on the Danube true
}

func ExampleTexts_Seek() {
	m := towns()
	defer m.Close()
	town, where, ok := m.Seek("c")
	fmt.Println(town, where, ok)
	// Output: jena on the Saale true
}

func ExampleTexts_Rank() {
	m := towns()
	defer m.Close()
	fmt.Println(m.Rank("ulm"))
	// Output: 2
}
