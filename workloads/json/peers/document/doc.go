// Package document reads and builds JSON documents as FlatBuffers. It is generated from
// document.fbs, which contains the command.
package document
