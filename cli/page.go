package cli

import (
	"net"
	"os/exec"
	"runtime"

	"github.com/spf13/cobra"
)

// reachable returns the address at which this machine reaches a listener.
func reachable(address net.Addr) string {
	tcp, isTCP := address.(*net.TCPAddr)
	if !isTCP || !tcp.IP.IsUnspecified() {
		return address.String()
	}
	_, port, _ := net.SplitHostPort(address.String())
	return net.JoinHostPort("127.0.0.1", port)
}

// openInBrowser opens an address in the user's browser. Without a browser, the server still
// serves, so it only warns.
func openInBrowser(cmd *cobra.Command, address string) {
	args := []string{"xdg-open", address}
	switch runtime.GOOS {
	case "darwin":
		args[0] = "open"
	case "windows":
		args = []string{"rundll32", "url.dll,FileProtocolHandler", address}
	}
	if err := exec.Command(args[0], args[1:]...).Start(); err != nil {
		warn(cmd, []string{"cannot open a browser: open " + address + " yourself"})
	}
}
