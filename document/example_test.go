package document_test

import (
	"fmt"

	"github.com/contextcompiler/context/document"
)

// A document's ID comes from its path, and its version from its content.
func Example() {
	fmt.Println(document.IDOf(`.\Guide\Install.md`))
	fmt.Println(document.VersionOf([]byte("# Install\n")))
	// Output:
	// guide/install.md
	// sha256:b72fbb493364d985ffdbd2c3b9cc9efb3553ecf3946e0e5fdbc01a4ca3963e56
}
