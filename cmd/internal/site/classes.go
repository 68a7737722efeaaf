package site

// Classes contains the share of the CPU time, from 0 to 1, that each kind of memory work uses.
type Classes struct {
	Malloc  float64 `json:"malloc"` // mallocgc, without the collector's work in it
	Assist  float64 `json:"assist"` // marking that the allocating goroutine is made to do
	Mark    float64 `json:"mark"`   // of background workers, without idle ones
	Sweep   float64 `json:"sweep"`
	Barrier float64 `json:"barrier"` // write barriers, and flushing their buffers
	Other   float64 `json:"other"`
	Samples int     `json:"samples"`
}

// Memory returns the share of the CPU time that all memory work uses.
func (c Classes) Memory() float64 { return c.Malloc + c.Assist + c.Mark + c.Sweep + c.Barrier }
