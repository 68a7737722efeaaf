package show

import (
	"strconv"

	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/render/chart"
	"github.com/coppice-go/coppice/cmd/internal/render/page"
	"github.com/coppice-go/coppice/cmd/internal/render/termtext"
)

// Picture plots the CPU time of an operation with each proposal and with each measured setting,
// relative to the current CPU time. It returns nil if there is nothing to plot.
func (d *pageData) Picture() *page.Plot {
	p := chart.Rows{Name: "CPU time of an operation with each change, relative to now", Axis: "CPU time, relative to now",
		Unit: chart.Ratio, Log: true, Reference: 1, Star: "a proposal, as estimated"}
	var proposals, settings []chart.Mark
	for _, one := range d.Proposals {
		e := one.Estimate
		if len(e.Void) > 0 || !(e.CPU > 0 && e.CPU < 1) {
			continue
		}
		m := chart.Mark{Name: termtext.Plain(one.Title), Rank: strconv.Itoa(one.Number), Value: 1 - e.CPU, Text: estimate(find.Estimate{CPU: e.CPU}), Tip: termtext.Plain(one.Title) + ": " + estimate(e), Kind: chart.Ours}
		if interval(e.Lo, e.Hi) != "" && e.Hi < 1 {
			m.Lo, m.Hi = 1-e.Hi, 1-e.Lo
		}
		proposals = append(proposals, m)
	}
	for _, s := range d.Settings {
		settings = setting(settings, s, termtext.Plain(s.Name))
	}
	if d.Ceiling != nil {
		settings = setting(settings, *d.Ceiling, "no collector at all")
	}
	for _, panel := range []chart.Panel{{Heading: "Change the source", Marks: proposals}, {Heading: "Set a variable", Marks: settings}} {
		if len(panel.Marks) > 0 {
			p.Panels = append(p.Panels, panel)
		}
	}
	if len(p.Panels) == 0 {
		return nil
	}
	plot := page.Drawn("", "With 95 % intervals, on a logarithmic scale; values left of the dashed line are less than now.", p)
	return &plot
}

// setting appends the mark of a setting, if the setting was measured.
func setting(all []chart.Mark, s find.Setting, name string) []chart.Mark {
	if !measured(&s.CPU) {
		return all
	}
	m := chart.Mark{Name: name, Value: s.CPU.Ratio, Text: "no difference proven", Tip: name + ": saves " + saved(&s.CPU) + " of CPU " + savedInterval(&s.CPU) + ", peak memory " + grown(s.RSS)}
	if s.CPU.Proven {
		m.Text = "saves " + saved(&s.CPU) + " of CPU"
		if s.CPU.Ratio > 1 {
			m.Text = "costs " + grown(&s.CPU) + " of CPU"
		}
	}
	if interval(s.CPU.Lo, s.CPU.Hi) != "" {
		m.Lo, m.Hi = s.CPU.Lo, s.CPU.Hi
	}
	return append(all, m)
}
