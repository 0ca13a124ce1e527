package index_test

import (
	"testing"

	"github.com/contextcompiler/context/internal/base/effort"
)

func TestMain(m *testing.M) {
	effort.UseMemory()
	m.Run()
}
