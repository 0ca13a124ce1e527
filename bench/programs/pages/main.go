// Command pages writes N generated Markdown pages to a directory. They are the same on
// every machine, and the first pages of a larger N.
//
//	pages N DIR
package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/contextcompiler/context/bench/corpus"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "pages:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("usage: pages N DIR")
	}
	n, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	_, err = corpus.Write(args[1], n)
	return err
}
