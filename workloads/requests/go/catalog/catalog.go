// Package catalog is the long-lived data of the experiment's service: products whose prices
// formulas look up. It is ordinary memory of the Go heap, of a realistic size for a service, and
// the collector marks it in each cycle.
package catalog

import "fmt"

// Size is the number of products.
const Size = 100_000

// A Product is one product of the catalog.
type Product struct {
	SKU, Name string
	Cents     int64
	Maker     *Maker
}

// A Maker is the manufacturer of some of the products.
type Maker struct{ Name string }

// A Catalog finds products by their SKU. It is safe for concurrent reads.
type Catalog map[string]*Product

// New generates the catalog. It is the same in every process.
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

// Price returns the price of a product, and reports whether it exists.
func (c Catalog) Price(sku string) (cents int64, ok bool) {
	p, ok := c[sku]
	if !ok {
		return 0, false
	}
	return p.Cents, true
}

// SKU returns the name of the product with index i.
func SKU(i int) string { return fmt.Sprintf("p%06d", i) }

// Cents returns the price of the product with index i, by the formula of the specification.
func Cents(i int) int64 { return 100 + int64(i)*7919%20_000 }
