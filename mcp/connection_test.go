package mcp

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

func pings(n int) io.Reader {
	var lines strings.Builder
	for i := range n {
		fmt.Fprintf(&lines, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", i)
	}
	return strings.NewReader(lines.String())
}

// readUntilEnd reads messages as the SDK does, and returns the end.
func readUntilEnd(t *testing.T, c *connection) (end chan error) {
	end = make(chan error, 1)
	go func() {
		for {
			if _, err := c.Read(t.Context()); err != nil {
				end <- err
				return
			}
		}
	}()
	return end
}

// Requests without an answer keep no connection open, neither a few nor more than may
// be in flight.
func TestTheEndComesWithinASecondThoughNothingIsAnswered(t *testing.T) {
	for _, requests := range []int{0, 1, maxInFlight, maxInFlight + 1, 3 * maxInFlight} {
		for _, stopped := range []bool{false, true} {
			t.Run(fmt.Sprintf("requests=%d/stopped=%t", requests, stopped), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					in := pings(requests)
					open, pipe := io.Pipe() // an endless input
					if stopped {
						in = io.MultiReader(in, open)
					}
					c := newConnection(in, io.Discard)
					end := readUntilEnd(t, c)
					synctest.Wait()
					if stopped {
						c.stopReading()
					}
					select {
					case err := <-end:
						if err != io.EOF {
							t.Errorf("got %v, want %v", err, io.EOF)
						}
					case <-time.After(time.Second):
						t.Error("it has not ended after a second")
					}
					c.Close()
					pipe.Close()
				})
			})
		}
	}
}

// While the connection drains, calls may still be answered. Then the rest is cut off.
func TestDrainingCutsOffOnlyWhatIsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		c := newConnection(pings(2), &out)
		began := time.Now()
		end := readUntilEnd(t, c)
		go func() {
			time.Sleep(drainTime / 2)
			if c.draining.Err() != nil {
				t.Error("cut off before its time")
			}
			c.Write(t.Context(), responseTo(t, "0"))
			<-c.draining.Done()
			c.Write(t.Context(), responseTo(t, "1"))
		}()
		<-end
		if took := time.Since(began); took != drainTime {
			t.Errorf("took %v, want %v", took, drainTime)
		}
		const want = `{"jsonrpc":"2.0","id":0,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n"
		if got := out.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		c.Close()
	})
}

func responseTo(t *testing.T, id string) *jsonrpc.Response {
	t.Helper()
	return &jsonrpc.Response{ID: idOf([]byte(id)), Result: []byte("{}")}
}

// An answer goes out once.
func TestARequestIsAnsweredOnce(t *testing.T) {
	var out bytes.Buffer
	c := newConnection(pings(1), &out)
	defer c.Close()
	if _, err := c.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := c.Write(t.Context(), responseTo(t, "0")); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := out.String(), `{"jsonrpc":"2.0","id":0,"result":{}}`+"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
