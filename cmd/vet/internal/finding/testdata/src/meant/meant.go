// Package meant calls bad in places where comments say that it is meant, and where they
// seem to.
package meant

func bad() {}

func good(...func()) {}

func atTheEnd() {
	bad() // want `bad is called`
	bad() //nolint
	bad() //nolint:all
	bad() //nolint:coppice
	bad() //nolint:coppice // a reason
	bad() //nolint:errcheck,coppice
	bad() //nolint:errcheck, Coppice // a reason
	bad() //nolint:badcall
	bad() // nolint:coppice
	bad() //nolint it is meant
	bad() //coppice:ignore badcall a reason
	bad() //lint:ignore coppice/badcall a reason
	bad() //lint:ignore SA1019,Coppice/BadCall a reason
	bad() //lint:ignore coppice/* a reason
}

func onItsOwnLineOnly() {
	good() //coppice:ignore badcall a reason
	bad()  // want `bad is called`
	good(
		nil,              //coppice:ignore badcall a reason
		func() { bad() }) // want `bad is called`
	{ //coppice:ignore badcall a reason
		bad() // want `bad is called`
	} //coppice:ignore badcall a reason
	bad() // want `bad is called`

	//coppice:ignore badcall a reason
	bad()
	if true {
		// coppice ignores this line, but not the next comment:
		//coppice:ignore badcall a reason
		bad()
	}
}

func anotherIsMeant() {
	bad() //nolint:errcheck // want `bad is called`
	bad() //nolint:errcheck // not coppice // want `bad is called`
	bad() //nolint:coppices // want `bad is called`
	bad() //nolintcoppice // want `bad is called`
	bad() /* nolint:coppice */ // want `bad is called`
	bad() //lint:ignore SA1019 a reason // want `bad is called`
	bad() //lint:ignore coppice/stalevalue a reason // want `bad is called`
	bad() /* want `bad is called` */ //lint:ignore coppice/badcall
	bad() //lint:ignored coppice/badcall a reason // want `bad is called`
	bad() //coppice:ignore other a reason // want `bad is called`
}

func onTheLineBefore() {
	//nolint:coppice
	bad()
	bad() // want `bad is called`

	//nolint:coppice // what begins here is meant, to its end
	good(
		bad,
	)
	//nolint:coppice
	good(func() {
		bad()
	})

	//lint:ignore coppice/badcall a reason
	bad()
	bad() // want `bad is called`

	//lint:ignore coppice/badcall only the first line is meant
	good(func() {
		bad() // want `bad is called`
	})

	//nolint:coppice

	bad() // want `bad is called`
	if true {
		//nolint:coppice
		bad()
	}
	bad() // want `bad is called`
}

// covered is meant as a whole.
//
//nolint:coppice
func covered() {
	bad()
	good(func() { bad() })
}

func notCovered() {
	bad() // want `bad is called`
}

//lint:ignore coppice/badcall this is the line of the word func
func firstLineOnly() {
	bad() // want `bad is called`
}

//coppice:ignore badcall a reason
func ours() {
	bad()
}
