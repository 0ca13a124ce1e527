// Package actions runs page generators such as Sphinx for a build, and keeps their output in
// the store.
//
//	command, program, inputs ──hash──> key ──> entry of the store ──> pages of a build
//	                                             │ missing
//	                                             └─> permitted? ─> run ─> check and copy
//
// An entry appears complete or not at all, and a command runs once for each key. Because
// commands aren't sandboxed, they never run unless the user trusts the Contextfile
// ([TrustList]) or permits all commands ([Permission]).
package actions

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/acquire/store"
	"github.com/contextcompiler/context/internal/base/lazy"
)

// A BuildAction is a command to make pages.
type BuildAction struct {
	Run     []string      // program and arguments; [Placeholder] stands for the directory to write to
	Dir     string        // slash path below Project where the command runs; "." for Project
	Inputs  []string      // patterns, as in .gitignore, of the files it reads below Project
	Scripts []string      // patterns of the files it executes below Project
	Env     []string      // sorted NAME=VALUE
	Version string        // of the program; if empty, the contents of its file count instead
	Timeout time.Duration // 0 means [DefaultTimeout]
	Pages   string        // slash path of the directory with the pages in the output; "." for all of it

	Project string   // absolute path of the directory with the Contextfile, free of symlinks
	Except  []string // absolute paths of directories without inputs, such as caches
	File    string   // absolute path of the Contextfile, free of symlinks
	FileSum FileHash // of the Contextfile
}

// Placeholder stands for the directory where a command must write its pages.
const Placeholder = "{out}"

// How long a command can run.
const (
	DefaultTimeout = 10 * time.Minute
	MaxTimeout     = 24 * time.Hour
)

// A FileHash is the SHA-256 of a file.
type FileHash [sha256.Size]byte

func (s FileHash) String() string { return hex.EncodeToString(s[:]) }

var plainWord = lazy.Regexp(`^[A-Za-z0-9_./:=@%+,{}-]+$`)

// String returns the command as a shell would read it. However, unusual characters are escaped
// as in Go, so nothing is hidden from a reader.
func (a *BuildAction) String() string {
	var words []string
	for _, word := range slices.Concat(a.Env, a.Run) {
		if !plainWord().MatchString(word) {
			word = strconv.Quote(word)
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// keyVersion must change whenever the same action would produce a different output. Otherwise,
// builds would use old entries.
const keyVersion = "context action 1"

// key returns the key for the output of a command with these files.
func (a *BuildAction) key(read snapshot) store.EntryKey {
	h := fieldHash{sha256.New()}
	h.fields(keyVersion, a.Dir, read.program)
	h.fields(a.Run...)
	h.fields(a.Env...)
	for _, f := range read.files {
		h.fields(f.path, f.what, string(f.sum[:]))
	}
	return store.EntryKey("convert-" + hex.EncodeToString(h.Sum(nil)))
}

// A fieldHash keeps lists of texts apart: it hashes the length of each list and of each text.
type fieldHash struct{ hash.Hash }

func (h fieldHash) fields(texts ...string) {
	_ = binary.Write(h, binary.BigEndian, int64(len(texts)))
	for _, text := range texts {
		_ = binary.Write(h, binary.BigEndian, int64(len(text)))
		h.Write([]byte(text))
	}
}

// errorf returns an error about the command, or the reason why ctx ended.
func (a *BuildAction) errorf(ctx context.Context, format string, args ...any) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return fault.Errorf(fault.IO, "convert %s: %w", a, fmt.Errorf(format, args...))
}
