package prom_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/coppice-go/coppice/cache"
	"github.com/coppice-go/coppice/metrics"
	"github.com/coppice-go/coppice/prom"
)

func ExampleNewCollector() {
	sessions := cache.Must(cache.New[uint64, string](cache.Options{MaxBytes: 1 << 20}))
	defer sessions.Close()
	var watched metrics.Set
	watched.Add("sessions", metrics.Cache(sessions))

	registry := prometheus.NewRegistry() // or prometheus.MustRegister, and promhttp.Handler
	registry.MustRegister(prom.NewCollector(&watched))
	handler := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})

	sessions.Get(7)
	page := httptest.NewRecorder() // in a program: http.Handle("/metrics", handler)
	handler.ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for line := range strings.Lines(page.Body.String()) {
		if strings.HasPrefix(line, "coppice_cache_misses_total") {
			fmt.Print(line)
		}
	}
	// Output: coppice_cache_misses_total{container="sessions"} 1
}
