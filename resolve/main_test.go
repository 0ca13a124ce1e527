package resolve_test

import (
	"log"
	"os"
	"testing"
)

// temporary is a directory for the files of the examples.
var temporary string

func TestMain(m *testing.M) {
	var err error
	if temporary, err = os.MkdirTemp("", "example"); err != nil {
		log.Fatal(err)
	}
	status := m.Run()
	os.RemoveAll(temporary)
	os.Exit(status)
}
