//go:build !unix

package dotcontext

import (
	"io/fs"
	"os"
)

// keepOwner does nothing: files have no owner that a process can set.
func keepOwner(*os.File, fs.FileInfo) {}
