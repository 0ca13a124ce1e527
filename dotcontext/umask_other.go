//go:build !unix

package dotcontext

import "io/fs"

// umask returns the permissions that new files are not to have.
func umask() fs.FileMode { return 0 }
