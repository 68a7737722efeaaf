package load

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/coppice-go/coppice/workloads/requests/go/corpus"
)

// A message is a request in wire format, and the expected answer.
type message struct{ request, answer []byte }

func newMessage(address string, s corpus.Sheet) message {
	var b bytes.Buffer
	fmt.Fprintf(&b, "POST /evaluate HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n", address, len(s.Source))
	b.Write(s.Source)
	return message{b.Bytes(), s.Answer}
}

// patience is the time limit for an answer. A machine may suspend a process for minutes.
const patience = 5 * time.Minute

// A connection sends requests in turn. It has its own HTTP code, because http.Client would use more
// of the CPU time that the service needs.
type connection struct {
	conn   net.Conn
	reader *bufio.Reader
	answer []byte
}

func dialAll(address string, count int) ([]*connection, error) {
	var all []*connection
	for range count {
		conn, err := net.DialTimeout("tcp", address, patience)
		if err != nil {
			closeAll(all)
			return nil, err
		}
		all = append(all, newConnection(conn))
	}
	return all, nil
}

func newConnection(conn net.Conn) *connection {
	return &connection{conn: conn, reader: bufio.NewReader(conn)}
}

func closeAll(all []*connection) {
	for _, c := range all {
		c.conn.Close() // no exchange is in progress
	}
}

// exchange returns the answer, which is valid until the next exchange. An answer other than the
// expected one is an error.
func (c *connection) exchange(m *message) ([]byte, error) {
	if err := c.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return nil, err
	}
	if _, err := c.conn.Write(m.request); err != nil {
		return nil, err
	}
	response, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		return nil, err
	}
	c.answer, err = appendAll(c.answer[:0], response.Body)
	switch {
	case err != nil:
		return nil, err
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s: %.200q", response.Status, c.answer)
	case !bytes.Equal(c.answer, m.answer):
		return nil, fmt.Errorf("wrong answer %.200q, expected %.200q", c.answer, m.answer)
	}
	return c.answer, nil
}

// appendAll does the same as io.ReadAll, but into existing memory.
func appendAll(b []byte, r io.Reader) ([]byte, error) {
	w := bytes.NewBuffer(b)
	_, err := w.ReadFrom(r)
	return w.Bytes(), err
}
