package verify_test

import (
	"testing"

	"github.com/contextcompiler/context/internal/base/effort"
)

func TestMain(m *testing.M) { effort.Main(m) }
