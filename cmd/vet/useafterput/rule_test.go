package useafterput_test

import (
	"testing"

	"github.com/coppice-go/coppice/cmd/vet/internal/vettest"
	"github.com/coppice-go/coppice/cmd/vet/useafterput"
)

func TestRule(t *testing.T) {
	vettest.Run(t, useafterput.Analyzer, "...")
}
