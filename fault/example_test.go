package fault_test

import (
	"fmt"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/answers"
)

// Act on the kind of a failure.
func ExampleCodeOf() {
	if _, err := answers.Open("no/such/cache"); err != nil {
		code := fault.CodeOf(err)
		fmt.Println(code, code.ExitStatus(), code.Message())
	}
	// Output: cache_missing 4 Cache does not exist
}
