// Package show prints the results of coppice find.
//
//	screen.go    one screen for a terminal; columns.go limits its width
//	markdown.go  the same for an issue or a pull request
//	html.go      one page with the annotated source (source.go) and a plot (picture.go)
//	json.go      all of it, for other tools
//	sarif.go     the sites with a remedy, for code hosts and editors
//	profile.go   profiles with lifetime and remedy as labels, for go tool pprof
//
// All formats use view.go, which selects what is shown, and words.go, which formats values as text.
package show

// Top is the default number of sites to show.
const Top = 12

// Options specifies what to show, and the width of the screen. The zero value shows the Top most
// expensive sites, for a file.
type Options struct {
	Top int     // maximum number of sites; 0 means Top
	Min float64 // minimum fraction of malloc's CPU time, objects or bytes of the shown sites, from 0 to 1
	All bool    // show all sites, whatever the answer

	Columns int // terminal width; 0 for other output, in which long cells are wrapped, not cut
}
