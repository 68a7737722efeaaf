// Package catalog is what the server of the experiment keeps in memory for all requests:
// the products that formulas ask the price of. It is an ordinary live Go heap of the
// size that services have, and the collector marks it in each cycle.
package catalog

import "fmt"

// Size is how many products there are.
const Size = 100_000

// A Product is one of them.
type Product struct {
	SKU, Name string
	Cents     int64
	Maker     *Maker
}

// A Maker makes some of the products.
type Maker struct{ Name string }

// A Catalog finds products by their SKU. Any number of goroutines may read it at once.
type Catalog map[string]*Product

// New makes the catalog. It is the same in every process.
func New() Catalog {
	c := make(Catalog, Size)
	makers := make([]*Maker, 1000)
	for i := range makers {
		makers[i] = &Maker{Name: fmt.Sprintf("maker %d", i)}
	}
	for i := range Size {
		p := &Product{SKU: SKU(i), Name: fmt.Sprintf("product %d", i), Cents: Cents(i), Maker: makers[i%len(makers)]}
		c[p.SKU] = p
	}
	return c
}

// Price returns the price of a product, and whether there is one.
func (c Catalog) Price(sku string) (cents int64, ok bool) {
	p, ok := c[sku]
	if !ok {
		return 0, false
	}
	return p.Cents, true
}

// SKU is how product number i is called.
func SKU(i int) string { return fmt.Sprintf("p%06d", i) }

// Cents is the price of product number i, by the formula of the specification.
func Cents(i int) int64 { return 100 + int64(i)*7919%20_000 }
