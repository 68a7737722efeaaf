// Package shop contains what both forms of the service share: the goods, the messages, and the
// function that creates a catalog.
package shop

import (
	"fmt"
	"math/rand/v2"
)

// Goods is one entry of the catalog.
type Goods struct {
	SKU   string `json:"sku"`
	Brand string `json:"brand"`
	Color string `json:"color"`
	Price int    `json:"price"`
	Stock int    `json:"stock"`
}

// A Search is what a client posts to /search.
type Search struct {
	SKUs  []string `json:"skus"`
	Where string   `json:"where"` // a condition, such as color = red and (price < 90 or stock > 4)
}

// An Answer is the response: the listed goods that meet the condition.
type Answer struct {
	Goods []Goods `json:"goods"`
	Total int     `json:"total"` // sum of the prices of Goods
}

var (
	brands = []string{"acme", "birch", "coppice", "dale", "elm", "fen"}
	colors = []string{"red", "green", "blue", "black", "white"}
)

// SKU returns the SKU of the goods with index i.
func SKU(i int) string { return fmt.Sprintf("sku-%08d", i) }

// Catalog returns n goods, the same for each call.
func Catalog(n int) []Goods {
	r := rand.New(rand.NewPCG(1, 2))
	all := make([]Goods, n)
	for i := range all {
		all[i] = Goods{SKU(i), brands[r.IntN(len(brands))], colors[r.IntN(len(colors))], r.IntN(200), r.IntN(10)}
	}
	return all
}

// Draw returns a search over a catalog of n goods. Some searches are frequent, others occur once.
func Draw(r *rand.Rand, n int) Search {
	if r.IntN(2) == 0 {
		r = rand.New(rand.NewPCG(3, uint64(r.IntN(100))))
	}
	skus := make([]string, 20)
	for i := range skus {
		skus[i] = SKU(r.IntN(n + n/10)) // one SKU in eleven is unknown
	}
	return Search{skus, fmt.Sprintf("not color = %s and (price < %d or stock > %d or brand = %s)",
		colors[r.IntN(len(colors))], r.IntN(200), r.IntN(10), brands[r.IntN(len(brands))])}
}
