package whole

//lint:file-ignore SA1019 a reason

func third() {
	bad() // want `bad is called`
}
