// Package kubernetes contains a test that reads the Job of `coppice lab plan` as Kubernetes does:
// strictly, and with the types of Kubernetes. The test is here, and not next to the template, so
// that only this module requires the types of Kubernetes. Users of Coppice do not download this
// module.
package kubernetes
