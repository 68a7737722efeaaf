// Package whole has files that are meant as they are.
package whole

//lint:file-ignore coppice/badcall a reason

func second() {
	bad()
}
