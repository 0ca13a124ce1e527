package cli

import (
	"testing"

	"github.com/contextcompiler/context/internal/effort"
)

func TestMain(m *testing.M) { effort.Main(m) }
