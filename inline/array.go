package inline

// Array is the constraint for the second type argument of a Vec. It permits arrays of T with the
// lengths below: every length up to 32, and then four lengths for each doubling. A type argument
// with a different element type, as in Vec[*int, [64]byte], does not compile, so no check is needed
// at run time.
type Array[T any] interface {
	[1]T | [2]T | [3]T | [4]T | [5]T | [6]T | [7]T | [8]T |
		[9]T | [10]T | [11]T | [12]T | [13]T | [14]T | [15]T | [16]T |
		[17]T | [18]T | [19]T | [20]T | [21]T | [22]T | [23]T | [24]T |
		[25]T | [26]T | [27]T | [28]T | [29]T | [30]T | [31]T | [32]T |
		[40]T | [48]T | [56]T | [64]T | [80]T | [96]T | [112]T | [128]T |
		[160]T | [192]T | [224]T | [256]T | [320]T | [384]T | [448]T | [512]T |
		[640]T | [768]T | [896]T | [1024]T
}
