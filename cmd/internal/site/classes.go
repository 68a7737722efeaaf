package site

// Classes contains the share of the CPU time, from 0 to 1, that each kind of memory work uses.
type Classes struct {
	Malloc  float64 `json:"malloc"` // mallocgc, excluding the collector's work inside it
	Assist  float64 `json:"assist"` // mark assists: marking by goroutines that allocate
	Mark    float64 `json:"mark"`   // marking by background workers, excluding idle workers
	Sweep   float64 `json:"sweep"`
	Barrier float64 `json:"barrier"` // write barriers, including flushes of their buffers
	Other   float64 `json:"other"`
	Samples int     `json:"samples"`
}

// Memory returns the share of the CPU time that all memory work uses.
func (c Classes) Memory() float64 { return c.Malloc + c.Assist + c.Mark + c.Sweep + c.Barrier }
