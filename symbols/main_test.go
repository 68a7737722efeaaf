package symbols

import (
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/random"
)

func TestMain(m *testing.M) { random.Hashes(m) }
