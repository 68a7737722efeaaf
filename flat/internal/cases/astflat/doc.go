// Package astflat is what coppice flat makes of package ast. scripts/generate.sh writes its other
// files, which git and releases do not have; this one is for go mod tidy in a program that imports
// flat, which looks for all that flat's tests import.
package astflat
