//go:build !linux && !darwin

package replace

import "errors"

const noReplace, exchange = 0, 0

func renameWith(int, string, string) error { return errors.ErrUnsupported }

func syncFileSystem(string) error { return errors.ErrUnsupported }
