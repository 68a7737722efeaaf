package corpus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/workloads/requests/go/catalog"
)

// An order is the subject of a sheet. Its lines have a product, a count and a price. A sheet adds
// formulas over them.
type order struct {
	number int
	rate   int64
	lines  []line
}

// A line orders dozens*12 + singles pieces of a product. The price of a piece is cents, less a
// reduction in percent.
type line struct {
	product                           int
	name                              string
	dozens, singles, cents, reduction int64
	tags                              []string
}

var (
	things    = []string{"hex bolt", "washer", "cap nut", `bracket 3/4"`, "Dübel", "hinge", "hook and eye", "threaded rod"}
	materials = []string{"steel", "brass", "nylon", "oak", "zinc plated", "A4 \\ V4A"}
)

func draw(random *rand.Rand) line {
	product := random.IntN(catalog.Size)
	l := line{
		product: product,
		name:    fmt.Sprintf("%s M%d", things[random.IntN(len(things))], 2+random.IntN(20)),
		dozens:  random.Int64N(9), singles: random.Int64N(12),
		cents: catalog.Cents(product) + random.Int64N(500), reduction: random.Int64N(30),
	}
	for range 1 + random.IntN(3) {
		l.tags = append(l.tags, materials[random.IntN(len(materials))])
	}
	return l
}

func (o *order) writeHead(w *bytes.Buffer) {
	fmt.Fprintf(w, "title \"Order %d\";\n# All money is in cents.\nlet rate = %d;\nlet lines = [\n", o.number, o.rate)
}

func (l *line) write(w *bytes.Buffer) {
	fmt.Fprintf(w, "  {sku: %q, name: %q, count: %d * 12 + %d, cents: %d - %d * %d / 100, tags: [",
		catalog.SKU(l.product), l.name, l.dozens, l.singles, l.cents, l.cents, l.reduction)
	for i, tag := range l.tags {
		if i > 0 {
			w.WriteString(", ")
		}
		fmt.Fprintf(w, "%q", tag)
	}
	w.WriteString("]},\n")
}

// formulas end every sheet. The method answer computes the same results in Go.
const formulas = `];
let nets = [for l in lines yield l.count * l.cents * (100 - (if l.count >= 80 then 8 else if l.count >= 24 then 5 else 0)) / 100];
show net = sum(nets);
show tax = net * rate / 100;
show largest = max(nets);
show saved = sum([for l in lines where l.cents < price(l.sku) yield (price(l.sku) - l.cents) * l.count]);
show heavy = [for l in lines where l.count > 96 yield upper(l.name) + " x" + text(l.count)];
show tags = join([for l in lines where l.count % 2 == 1 yield l.tags[0]], ", ");
show first = {line: lines[0], free: net >= 1000000 and not (count(lines) > 200)};
`

// An answer has the fields in the order in which the formulas show them.
type answer struct {
	Net     int64    `json:"net"`
	Tax     int64    `json:"tax"`
	Largest int64    `json:"largest"`
	Saved   int64    `json:"saved"`
	Heavy   []string `json:"heavy"`
	Tags    string   `json:"tags"`
	First   struct {
		Line struct {
			SKU   string   `json:"sku"`
			Name  string   `json:"name"`
			Count int64    `json:"count"`
			Cents int64    `json:"cents"`
			Tags  []string `json:"tags"`
		} `json:"line"`
		Free bool `json:"free"`
	} `json:"first"`
}

// answer computes the results of the formulas.
func (o *order) answer() []byte {
	a := answer{Heavy: []string{}}
	nets := make([]int64, 0, len(o.lines))
	var tags []string
	for _, l := range o.lines {
		count, cents := l.dozens*12+l.singles, l.cents-l.cents*l.reduction/100
		less := int64(0)
		switch {
		case count >= 80:
			less = 8
		case count >= 24:
			less = 5
		}
		nets = append(nets, count*cents*(100-less)/100)
		if listed := catalog.Cents(l.product); cents < listed {
			a.Saved += (listed - cents) * count
		}
		if count > 96 {
			a.Heavy = append(a.Heavy, fmt.Sprintf("%s x%d", upper(l.name), count))
		}
		if count%2 == 1 {
			tags = append(tags, l.tags[0])
		}
		a.Net += nets[len(nets)-1]
	}
	a.Tax, a.Largest, a.Tags = a.Net*o.rate/100, slices.Max(nets), strings.Join(tags, ", ")
	first, line := &o.lines[0], &a.First.Line
	line.SKU, line.Name, line.Tags = catalog.SKU(first.product), first.name, first.tags
	line.Count, line.Cents = first.dozens*12+first.singles, first.cents-first.cents*first.reduction/100
	a.First.Free = a.Net >= 1_000_000 && len(o.lines) <= 200

	var w bytes.Buffer
	encoder := json.NewEncoder(&w)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(a); err != nil {
		panic(err) // impossible: all fields can be encoded as JSON
	}
	return w.Bytes()
}

// upper is strings.ToUpper for ASCII letters only.
func upper(s string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, s)
}
