package cache

import (
	"os"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/random"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(saver); path != "" {
		saveStates(path)
	}
	random.Hashes(m)
}
