// Package document reads and builds JSON documents as FlatBuffers. It is generated from
// document.fbs, which has the command.
package document
