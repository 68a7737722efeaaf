//nolint:coppice
package whole

func bad() {}

func first() {
	bad()
}
