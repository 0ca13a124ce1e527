package selection_test

import (
	"fmt"
	"log"

	"github.com/contextcompiler/context/selection"
)

func ExampleParseQuery() {
	query, err := selection.ParseQuery("How to INSTALL")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q\n", query.Terms())
	// Output:
	// ["how" "to" "install"]
}
