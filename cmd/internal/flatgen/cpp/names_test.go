package cpp

import (
	"slices"
	"testing"
)

func TestNamesInCpp(t *testing.T) {
	for name, want := range map[string]string{
		"Value": "value", "L": "l", "ID": "id", "URLPath": "url_path", "I8": "i8", "F32": "f32", "ClassName": "class_name",
		"Class": "class_", "Xor": "xor_", "A__B": "a_b", "Über": "über", "Size2": "size2", "HTTPServer": "http_server",
		"Stdin": "stdin_", "Max": "max_", "Check": "check_", "Slots": "slots_", "Assert": "assert_", "Is_It": "is_it", "X_": "x_",
	} {
		if got := snake(name); got != want {
			t.Errorf("%s is %s in C++, want %s", name, got, want)
		}
	}
	got := snakes([]string{"URLPath", "UrlPath", "Record", "Class", "Class_"}, "record")
	if want := []string{"url_path", "url_path1", "record2", "class_", "class4"}; !slices.Equal(got, want) {
		t.Errorf("names in C++ are %q, want %q", got, want)
	}
}

// TestTypesInCpp verifies that a type keeps its name in C++ unless it resembles a macro.
func TestTypesInCpp(t *testing.T) {
	for name, want := range map[string]string{"Node": "Node", "AST_Node": "AST_Node", "MAP_FAILED": "MAP_FAILED_", "EOF": "EOF_", "ERROR": "ERROR_", "URL": "URL"} {
		if got := safe(name); got != want {
			t.Errorf("%s is %s in C++, want %s", name, got, want)
		}
	}
}
