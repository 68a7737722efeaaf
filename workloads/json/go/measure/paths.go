package measure

import (
	"strconv"
	"strings"
)

// A Path selects a value, step by step.
type Path struct {
	Steps []Step
	Texts []string // the steps as strings, for contenders that need them
}

// A Step is a key of an object or an index of an array.
type Step struct {
	Key   string
	Index int // -1 if the step is a key
}

// pattern stands for count paths, numbered from 0. If it has a step *, path i has the index i in
// its place.
type pattern struct {
	path  string
	count int
}

// patterns lists the paths to look up in each document, in the order of documentNames. Some
// paths find no value.
var patterns = map[string][]pattern{
	"canada_geometry": {
		{"features/0/geometry/coordinates/*/0/1", 480},
		{"features/0/properties/name", 1},
	},
	"citm_catalog": {
		{"performances/*/seatCategories/0/areas/1/areaId", 243},
		{"performances/*/prices/1/amount", 243},
		{"performances/*/venueCode", 243},
		{"events/138586341/name", 1}, // the first of 184 members; the next two lines have a middle one and the last
		{"events/138586743/topicIds/0", 1},
		{"events/342742596/subTopicIds/1", 1},
		{"events/0/name", 1}, // absent, so all 184 members are searched
		{"areaNames/205705999", 1},
	},
	"golang_source": {
		{"tree/kids/0/kids/0/kids/*/touches", 22},
		{"tree/kids/0/kids/0/kids/*/kids/0/name", 22},
		{"tree/kids/0/kids/0/kids/*/kids/1/kids/0/cl_weight", 22},
		{"username", 1},
	},
	"synthea_fhir": {
		{"entry/*/resource/resourceType", 926},
		{"entry/*/resource/code/coding/0/display", 926},
		{"entry/*/resource/valueQuantity/value", 926},
	},
	"twitter_status": {
		{"statuses/*/user/screen_name", 100},
		{"statuses/*/user/followers_count", 100},
		{"statuses/*/entities/hashtags/0/text", 100},
		{"statuses/*/retweeted_status/id", 100},
		{"search_metadata/count", 1},
	},
}

// pathsOf returns all paths to look up in a document.
func pathsOf(document string) (all []Path) {
	for _, p := range patterns[document] {
		for i := range p.count {
			all = append(all, newPath(strings.ReplaceAll(p.path, "*", strconv.Itoa(i))))
		}
	}
	return all
}

// newPath parses a path. Numbers of up to 6 digits are indices; numeric keys in the documents have
// 9 digits.
func newPath(text string) Path {
	p := Path{Texts: strings.Split(text, "/")}
	for _, s := range p.Texts {
		index, err := strconv.Atoi(s)
		if err != nil || len(s) > 6 {
			index = -1
		}
		p.Steps = append(p.Steps, Step{s, index})
	}
	return p
}
