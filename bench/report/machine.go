package main

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// describeMachine tells of the machine as far as the system does: of no names
// and no paths.
func describeMachine(scratch string) []string {
	processors := fmt.Sprintf("%d processors, %s/%s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
	if model := readMatch("/proc/cpuinfo", `model name\s*: (.*)`); model != "" {
		processors += ", " + model
	}
	lines := []string{processors}
	if kilobytes, err := strconv.ParseFloat(readMatch("/proc/meminfo", `MemTotal:\s*(\d+)`), 64); err == nil {
		lines = append(lines, quantity(kilobytes*1024, sizes)+" of memory")
	}
	if name := fileSystem(scratch); name != "" {
		lines = append(lines, "files on "+name)
	}
	if kernel := readMatch("/proc/sys/kernel/osrelease", `(\d+\.\d+(\.\d+)?)`); kernel != "" {
		lines = append(lines, "kernel "+kernel)
	}
	return append(lines, runtime.Version())
}

// readMatch returns the first group of pattern in a file, or nothing.
func readMatch(path, pattern string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	found := regexp.MustCompile(pattern).FindSubmatch(text)
	if found == nil {
		return ""
	}
	return strings.TrimSpace(string(found[1]))
}
