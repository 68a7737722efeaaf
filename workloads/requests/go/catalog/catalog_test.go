package catalog

import "testing"

func TestPrices(t *testing.T) {
	c := New()
	if len(c) != Size {
		t.Errorf("%d products", len(c))
	}
	for sku, want := range map[string]int64{"p000000": 100, "p000001": 8019, "p000003": 3857, "p099999": 100 + 99_999*7919%20_000} {
		if cents, ok := c.Price(sku); !ok || cents != want {
			t.Errorf("%s costs %d, %v; want %d", sku, cents, ok, want)
		}
	}
	for _, sku := range []string{"", "p", "p100000", "P000000"} {
		if cents, ok := c.Price(sku); ok || cents != 0 {
			t.Errorf("%q costs %d", sku, cents)
		}
	}
}
