package alloctest

// program tests the promise Program. It calls all functions of the allocator in random order.
func program(c *trial) {
	steps := c.steps()
	for range min(60, max(10, 1<<22/c.plan.room())) {
		steps[c.rng.IntN(len(steps))]()
		c.verify()
	}
}

// steps returns the steps from which a random program chooses.
func (c *trial) steps() []func() {
	add := func() { c.addMany(1 + c.rng.IntN(c.count(100))) }
	steps := []func(){add, add, add}
	if c.a.Make != nil && !c.a.Moves {
		steps = append(steps, func() { c.fillRow(c.makeRow(c.rng.IntN(c.count(100)))) })
	}
	if c.a.Grow != nil {
		steps = append(steps, func() { c.grow(c.rng.IntN(c.count(200))) })
	}
	if c.a.Delete != nil {
		steps = append(steps, func() {
			for range c.rng.IntN(len(c.live) + 1) {
				c.del(c.rng.IntN(len(c.live)))
			}
		})
	}
	if c.a.Mark != nil {
		steps = append(steps, func() { c.between(1 + c.rng.IntN(2)) })
	}
	if c.a.Reset != nil {
		steps = append(steps, c.reset)
	}
	return steps
}
