package texts

import "testing"

func TestClasses(t *testing.T) {
	for class := range classes {
		size := sizeOf(class)
		if classOf(size) != class || size%unit != 0 {
			t.Fatalf("class %d has %d bytes, whose class is %d", class, size, classOf(size))
		}
		if class > 0 {
			before := sizeOf(class - 1)
			if size <= before || classOf(before+1) != class || size > 64 && size-before > before/8 {
				t.Fatalf("classes %d and %d have %d and %d bytes", class-1, class, before, size)
			}
		}
	}
	if sizeOf(classes-1) < maxText+5 || classes*4 > headerBytes {
		t.Errorf("%d classes up to %d bytes", classes, sizeOf(classes-1))
	}
}
