package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"runtime"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/files"
	"github.com/contextcompiler/context/mcp"
)

// webFlags are the flags of a server over HTTP.
type webFlags struct {
	address   string
	tokenFile string
	hosts     []string
	warnings  []string // about the token file
}

func (typed *webFlags) bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&typed.address, "http", "", "serve over HTTP at `ADDRESS`, such as 127.0.0.1:8787")
	flags.StringVar(&typed.tokenFile, "token-file", "", "over HTTP, ask for the bearer token in `FILE`")
	flags.StringArrayVar(&typed.hosts, "allow-host", nil, "over HTTP, allow requests for `HOST`, such as a proxy's name (repeatable)")
}

// refuse fails if there are flags for HTTP, but not --http.
func (typed *webFlags) refuse(cmd *cobra.Command) error {
	for _, flag := range []string{"token-file", "allow-host"} {
		if cmd.Flags().Changed(flag) {
			return usagef("--%s is for a server over HTTP: give --http ADDRESS too", flag)
		}
	}
	return nil
}

// listen returns a listener on the address, and the gate for it.
func (typed *webFlags) listen(cmd *cobra.Command) (net.Listener, mcp.Access, error) {
	gate := mcp.Access{Hosts: typed.hosts}
	for _, host := range typed.hosts {
		if host == "" || strings.ContainsAny(host, "/* ") {
			return nil, gate, usagef("--allow-host is %q: want the name of a host, such as docs.example.com", host)
		}
	}
	host, port, err := net.SplitHostPort(typed.address)
	if err != nil {
		return nil, gate, usagef("--http is %q: want HOST:PORT, such as 127.0.0.1:8787", typed.address)
	}
	address, err := net.ResolveTCPAddr("tcp", net.JoinHostPort(cmp.Or(host, "127.0.0.1"), port))
	if err != nil {
		return nil, gate, usagef("--http is %q: %v", typed.address, err)
	}
	if cmd.Flags().Changed("token-file") {
		if typed.tokenFile == "" {
			return nil, gate, usagef("--token-file is empty: name a file")
		}
		if gate.Token, err = typed.readToken(); err != nil {
			return nil, gate, err
		}
	}
	if !address.IP.IsLoopback() && gate.Token == "" {
		return nil, gate, usagef("--http %s is for other machines too, and needs --token-file FILE: make one with `%s`", typed.address, makeToken("FILE"))
	}
	if !address.IP.IsLoopback() && len(gate.Token) < shortestToken {
		return nil, gate, usagef("the token in %s has %d characters, which other machines could guess: want at least %d; make one with `%s`",
			typed.tokenFile, len(gate.Token), shortestToken, makeToken(typed.tokenFile))
	}
	if host != "" && !address.IP.IsUnspecified() {
		gate.Hosts = append(gate.Hosts, host)
	}
	listener, err := net.ListenTCP("tcp", address)
	if err != nil {
		return nil, gate, listenError(typed.address, err)
	}
	return listener, gate, nil
}

// listenError returns the error for an address that the system refuses.
func listenError(address string, err error) error {
	if e, ok := errors.AsType[*os.SyscallError](err); ok {
		err = e.Err // net names the address again
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		return fault.Errorf(fault.IO, "--http %s: %w: choose another port, or :0 for any free one", address, err)
	}
	return fault.Errorf(fault.IO, "--http %s: %w", address, err)
}

// makeToken returns the command that makes a token.
func makeToken(file string) string {
	return "(umask 077; openssl rand -hex 32 > " + shellLine([]string{file}) + ")"
}

// shortestToken is the least length of a token that other machines can try, in bytes.
const shortestToken = 16

// readToken reads the file with the token.
func (typed *webFlags) readToken() (string, error) {
	path := typed.tokenFile
	f, info, err := files.OpenAnywhere(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fault.Errorf(fault.IO, "token file %s: %w: make one with `%s`", path, fault.Cause(err), makeToken(path))
	}
	if err != nil {
		return "", fault.Errorf(fault.IO, "token file %s: %w", path, fault.Cause(err))
	}
	defer f.Close()
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		typed.warnings = append(typed.warnings, fmt.Sprintf("other users of this machine can read the token file %s: run `chmod 600 %s`", path, shellLine([]string{path})))
	}
	const longest = 4096
	text, err := io.ReadAll(io.LimitReader(f, longest+1))
	if err != nil {
		return "", fault.Errorf(fault.IO, "token file %s: %w", path, fault.Cause(err))
	}
	text = bytes.TrimSpace(text)
	switch {
	case len(text) == 0:
		return "", usagef("the token file %s is empty: make one with `%s`", path, makeToken(path))
	case len(text) > longest || bytes.ContainsFunc(text, isNoToken):
		return "", usagef("the token file %s is no token: want one word of up to %d visible ASCII characters, as `%s` makes", path, longest, makeToken("FILE"))
	}
	return string(text), nil
}

// isNoToken reports whether a header cannot have r in a token.
func isNoToken(r rune) bool { return r <= ' ' || r > '~' }
