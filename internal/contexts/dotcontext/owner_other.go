//go:build !unix

package dotcontext

import (
	"io/fs"
	"os"
)

// keepOwner does nothing, because a process cannot set the owner of a file here.
func keepOwner(*os.File, fs.FileInfo) {}
