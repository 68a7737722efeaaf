// Command expect prints the expected output of the workload service, from the catalog and the
// conditions, without a service.
package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"

	"github.com/coppice-go/coppice/examples/service/shop"
	"github.com/coppice-go/coppice/workloads/internal/arguments"
)

// searches is the number of searches that are sent one after another.
const searches = 1000

func main() {
	depth := arguments.Number(4, 22, "expect DEPTH")
	text, err := expected(1 << depth)
	if err != nil {
		fmt.Fprintln(os.Stderr, "expect:", err)
		os.Exit(1)
	}
	fmt.Print(text)
}

// expected returns the output for a catalog of the given number of goods.
func expected(goods int) (string, error) {
	catalog := map[string]shop.Goods{}
	for _, g := range shop.Catalog(goods) {
		catalog[g.SKU] = g
	}
	random := rand.New(rand.NewPCG(7, 8))
	sum := fnv.New64a()
	for range searches {
		search := shop.Draw(random, goods)
		var color, brand string
		var price, stock int
		if _, err := fmt.Sscanf(search.Where, "not color = %s and (price < %d or stock > %d or brand = %s", &color, &price, &stock, &brand); err != nil {
			return "", fmt.Errorf("%q: %w", search.Where, err)
		}
		answer := shop.Answer{Goods: []shop.Goods{}}
		for _, sku := range search.SKUs {
			g, ok := catalog[sku]
			if ok && g.Color != color && (g.Price < price || g.Stock > stock || g.Brand+")" == brand) {
				answer.Goods = append(answer.Goods, g)
				answer.Total += g.Price
			}
		}
		text, err := json.Marshal(answer)
		if err != nil {
			return "", err
		}
		sum.Write(text) // Write never fails
	}
	return fmt.Sprintf("%d answers, checksum %016x\n", searches, sum.Sum64()), nil
}
