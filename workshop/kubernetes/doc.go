// Package kubernetes has a test that reads the Job of `coppice lab plan` as Kubernetes does: with
// its own types, strictly. It is here, rather than next to the template, so that the types of
// Kubernetes are required by a module that no user of Coppice downloads.
package kubernetes
