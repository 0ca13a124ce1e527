/*
Tank measures the level of liquids.

Usage:

	tank [flags] FILE

# Flags

The flag -v prints more.
*/
package main

// Exported is no API, because nobody can import a command.
func Exported() {}

func main() {}
