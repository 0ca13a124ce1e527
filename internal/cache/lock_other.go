//go:build !unix

package cache

const openLockFlags = 0
