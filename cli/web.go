package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/author/console"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/mcp"
)

type webFlags struct {
	address   string
	tokenFile string
	hosts     []string
	opens     bool
	warnings  []string // about the token file
}

func (typed *webFlags) bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&typed.address, "http", "", "serve over HTTP at `ADDRESS`, such as 127.0.0.1:8787")
	flags.StringVar(&typed.tokenFile, "token-file", "", "over HTTP, require the bearer token in `FILE`")
	flags.StringArrayVar(&typed.hosts, "allow-host", nil, "over HTTP, allow requests for `HOST` (repeatable)")
	flags.BoolVar(&typed.opens, "open", false, "over HTTP, open the page in the browser")
}

// refuse fails if a flag for HTTP is given without --http.
func (typed *webFlags) refuse(cmd *cobra.Command) error {
	for _, flag := range []string{"token-file", "allow-host", "open"} {
		if cmd.Flags().Changed(flag) {
			return usagef("--%s only works over HTTP: pass --http ADDRESS, too", flag)
		}
	}
	return nil
}

// listen opens the listener of the server, and returns the gate in front of it.
func (typed *webFlags) listen(cmd *cobra.Command) (net.Listener, mcp.Access, error) {
	gate := mcp.Access{Hosts: typed.hosts}
	for _, host := range typed.hosts {
		if host == "" || strings.ContainsAny(host, "/* ") {
			return nil, gate, usagef("--allow-host: expected the name of a host, such as docs.example.com, got %q", host)
		}
	}
	host, port, err := net.SplitHostPort(typed.address)
	if err != nil {
		return nil, gate, usagef("--http: expected HOST:PORT, such as 127.0.0.1:8787, got %q", typed.address)
	}
	address, err := net.ResolveTCPAddr("tcp", net.JoinHostPort(cmp.Or(host, "127.0.0.1"), port))
	if err != nil {
		return nil, gate, usagef("--http %q: %v", typed.address, err)
	}
	if cmd.Flags().Changed("token-file") {
		if gate.Token, err = typed.readToken(); err != nil {
			return nil, gate, err
		}
	}
	switch isOpen := !address.IP.IsLoopback(); {
	case isOpen && gate.Token == "":
		return nil, gate, usagef("--http %s is open to other machines, so it needs --token-file FILE: create the file with `%s`", typed.address, makeToken("FILE"))
	case isOpen && len(gate.Token) < shortestToken:
		return nil, gate, usagef("the token in %s is so short that other machines could guess it: expected at least %d characters, got %d; create a longer token with `%s`",
			typed.tokenFile, shortestToken, len(gate.Token), makeToken(typed.tokenFile))
	}
	if host != "" && !address.IP.IsUnspecified() {
		gate.Hosts = append(gate.Hosts, host)
	}
	listener, err := net.ListenTCP("tcp", address)
	if e, ok := errors.AsType[*os.SyscallError](err); ok {
		err = e.Err // net names the address again
	}
	if err != nil {
		return nil, gate, fault.Errorf(fault.IO, "--http %s: %w: choose another address, or port 0 for any free port", typed.address, err)
	}
	return listener, gate, nil
}

func makeToken(file string) string {
	return "(umask 077; openssl rand -hex 32 > " + console.ShellLine([]string{file}) + ")"
}

// shortestToken is the minimum length of a token in bytes if other machines can try to
// guess it.
const shortestToken = 16

func (typed *webFlags) readToken() (string, error) {
	path := typed.tokenFile
	f, info, err := files.OpenAnywhere(path)
	if err != nil {
		return "", fault.Errorf(fault.IO, "token file %s: %w: create it with `%s`", path, fault.Cause(err), makeToken(path))
	}
	defer f.Close()
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		typed.warnings = append(typed.warnings, fmt.Sprintf("other users of this machine can read the token file %s: run `chmod 600 %s`", path, console.ShellLine([]string{path})))
	}
	const longest = 4096
	text, err := io.ReadAll(io.LimitReader(f, longest+1))
	if err != nil {
		return "", fault.Errorf(fault.IO, "token file %s: %w", path, fault.Cause(err))
	}
	text = bytes.TrimSpace(text)
	if len(text) == 0 || len(text) > longest || bytes.ContainsFunc(text, isNoToken) {
		return "", usagef("the token file %s contains no token: expected a word of up to %d visible ASCII characters; create a token with `%s`", path, longest, makeToken("FILE"))
	}
	return string(text), nil
}

// isNoToken reports whether an HTTP header cannot contain r in a token.
func isNoToken(r rune) bool { return r <= ' ' || r > '~' }
