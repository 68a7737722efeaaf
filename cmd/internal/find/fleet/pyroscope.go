package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// A Pyroscope server offers querier.v1.QuerierService over the Connect protocol: POST requests with
// a message in JSON or protocol buffers. The protocol buffers response of SelectMergeProfile is a
// profile in pprof format. Therefore this file encodes the two request messages itself, which have
// four fields each. Pyroscope's own package for the messages depends on Connect, gRPC and OpenAPI.

// types lists the profiles to request, by Pyroscope's names. Each response contains only the
// requested sample type. Memory in use is not requested, because a merged profile contains the sum
// over all stored profiles of a process, but not their number.
var types = []string{
	"memory:alloc_objects:count:space:bytes",
	"memory:alloc_space:bytes:space:bytes",
	"process_cpu:cpu:nanoseconds:cpu:nanoseconds",
}

// A query selects profiles on a Pyroscope server.
type query struct {
	server     *url.URL
	selector   string // {service_name="web"}
	from, till time.Time
}

// queryOf parses a URL such as http://host:4040?selector={service_name="web"}&from=6h&till=1h. The
// parameters from and till are RFC 3339 times, or durations before now. The default is the last
// hour.
func queryOf(name string, now time.Time) (query, error) {
	u, err := url.Parse(name)
	if err != nil {
		return query{}, err
	}
	values := u.Query()
	for key := range values {
		if key != "selector" && key != "from" && key != "till" {
			return query{}, fmt.Errorf("%s: unknown parameter %s; the parameters are selector, from and till", u.Redacted(), key)
		}
	}
	u.RawQuery, u.Fragment = "", ""
	q := query{server: u, selector: values.Get("selector"), from: now.Add(-time.Hour), till: now}
	if q.selector == "" {
		q.selector = "{}"
	}
	for _, t := range []struct {
		key string
		to  *time.Time
	}{{"from", &q.from}, {"till", &q.till}} {
		text := values.Get(t.key)
		if text == "" {
			continue
		}
		if ago, err := time.ParseDuration(text); err == nil {
			*t.to = now.Add(-ago)
		} else if *t.to, err = time.Parse(time.RFC3339, text); err != nil {
			return query{}, fmt.Errorf("%s: %s is %q: must be a time such as 2026-01-02T15:04:05Z, or how long ago, such as 6h", u.Redacted(), t.key, text)
		}
	}
	if !q.from.Before(q.till) {
		return query{}, fmt.Errorf("%s: from must be before till", u.Redacted())
	}
	return q, nil
}

// pyroscope returns the sources of a Pyroscope server: one merged profile for each profile type and
// each combination of labels.
func (o *Options) pyroscope(ctx context.Context, name string, kind Kind) ([]source, error) {
	q, err := queryOf(name, time.Now())
	if err != nil {
		return nil, err
	}
	series, err := o.series(ctx, q)
	if err != nil {
		return nil, err
	}
	if len(series) == 0 {
		return nil, fmt.Errorf("%s: no series from %s until %s for %s; choose another selector, or an earlier from",
			q.server.Redacted(), q.from.Format(time.RFC3339), q.till.Format(time.RFC3339), q.selector)
	}
	var all []source
	for _, labels := range series {
		selector := q.withLabels(labels)
		for _, t := range types {
			if cpu := strings.HasPrefix(t, "process_cpu:"); cpu && kind == Heap || !cpu && kind == CPU {
				continue
			}
			s := source{name: q.server.Redacted() + " " + t + " " + selector, labels: maps.Clone(labels), merged: true}
			s.read = func(ctx context.Context) ([]byte, error) {
				return o.call(ctx, q, "SelectMergeProfile", "application/proto", selectMergeProfile(t, selector, q.from, q.till))
			}
			all = append(all, s)
		}
	}
	return all, nil
}

// series requests the combinations of labels that the server has. The labels are the ones in
// Options.By, and service_name.
func (o *Options) series(ctx context.Context, q query) ([]map[string]string, error) {
	by := o.By
	if !slices.Contains(by, "service_name") {
		by = append(slices.Clone(by), "service_name")
	}
	request, err := json.Marshal(map[string]any{
		"matchers":   []string{q.selector},
		"labelNames": by,
		// The JSON encoding of protocol buffers represents 64-bit integers as strings.
		"start": strconv.FormatInt(q.from.UnixMilli(), 10),
		"end":   strconv.FormatInt(q.till.UnixMilli(), 10),
	})
	if err != nil {
		return nil, err
	}
	body, err := o.call(ctx, q, "Series", "application/json", request)
	if err != nil {
		return nil, err
	}
	var answer struct {
		LabelsSet []struct {
			Labels []struct{ Name, Value string }
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, fmt.Errorf("%s: the response to Series is not JSON; Pyroscope 1.0 or later is required", q.server.Redacted())
	}
	var all []map[string]string
	for _, set := range answer.LabelsSet {
		labels := map[string]string{}
		for _, l := range set.Labels {
			labels[l.Name] = l.Value
		}
		all = append(all, labels)
	}
	return all, nil
}

// withLabels returns the selector of the query with the given labels added.
func (q query) withLabels(labels map[string]string) string {
	inner := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(q.selector), "{"), "}"))
	var parts []string
	if inner != "" {
		parts = append(parts, strings.TrimSuffix(inner, ","))
	}
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		parts = append(parts, name+"="+strconv.Quote(labels[name]))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (o *Options) call(ctx context.Context, q query, method, contentType string, message []byte) ([]byte, error) {
	u := q.server.JoinPath("querier.v1.QuerierService", method)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(message))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("Connect-Protocol-Version", "1")
	return o.send(request, u.Redacted(), 0)
}

// selectMergeProfile encodes the message querier.v1.SelectMergeProfileRequest as protocol buffers.
func selectMergeProfile(profileType, selector string, from, till time.Time) []byte {
	var b []byte
	text := func(field protowire.Number, s string) {
		b = protowire.AppendTag(b, field, protowire.BytesType)
		b = protowire.AppendString(b, s)
	}
	number := func(field protowire.Number, n int64) {
		b = protowire.AppendTag(b, field, protowire.VarintType)
		b = protowire.AppendVarint(b, uint64(n))
	}
	text(1, profileType)
	text(2, selector)
	number(3, from.UnixMilli())
	number(4, till.UnixMilli())
	return b
}
