package cli

import (
	"net"
	"testing"
)

func TestReachableAddresses(t *testing.T) {
	for ip, want := range map[string]string{"127.0.0.1": "127.0.0.1:80", "0.0.0.0": "127.0.0.1:80", "::": "127.0.0.1:80", "::1": "[::1]:80", "10.1.2.3": "10.1.2.3:80"} {
		if got := reachable(&net.TCPAddr{IP: net.ParseIP(ip), Port: 80}); got != want {
			t.Errorf("%s: got %s, want %s", ip, got, want)
		}
	}
}
