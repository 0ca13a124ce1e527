package markdown

import "bytes"

// IsPointer reports whether a file is a Git LFS pointer, which takes the place of a file that was
// not downloaded.
func IsPointer(content []byte) bool {
	const mostBytes = 1024 // in the specification of Git LFS
	return len(content) < mostBytes && bytes.HasPrefix(content, []byte("version https://git-lfs.github.com/spec/")) &&
		bytes.Contains(content, []byte("\noid sha256:"))
}
