// Package web1flat is what coppice flat makes of package web1. scripts/generate.sh writes its other
// files, which git and releases do not have; this one is for go mod tidy in a program that imports
// flat, which looks for all that flat's tests import.
package web1flat
