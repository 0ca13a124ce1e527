package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"debug/macho"
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

// bundle returns the MCP bundle for all systems that run hosts of bundles. A bundle
// can contain a command for each system, but not for each architecture. For this
// reason, macOS gets a program for both, Linux a script that chooses, and Windows
// the program for amd64, which also runs on arm64.
func (r release) bundle() (file, error) {
	manifest, err := execute("mcpb/manifest.json", r)
	if err != nil {
		return file{}, err
	}
	script, err := execute("mcpb/linux.sh", r)
	if err != nil {
		return file{}, err
	}
	universal, err := universal(r.Archives["darwin_amd64"].holds["context"], r.Archives["darwin_arm64"].holds["context"])
	if err != nil {
		return file{}, fmt.Errorf("a program for macOS: %w", err)
	}
	linux := r.Archives["linux_amd64"].holds
	content, err := pack([]packed{
		{"manifest.json", manifest, 0o644},
		{"LICENSE", linux["LICENSE"], 0o644},
		{"THIRD_PARTY_NOTICES", linux["THIRD_PARTY_NOTICES"], 0o644},
		{"server/darwin/context", universal, 0o755},
		{"server/linux/context", script, 0o755},
		{"server/linux/context-x86_64", linux["context"], 0o755},
		{"server/linux/context-aarch64", r.Archives["linux_arm64"].holds["context"], 0o755},
		{"server/win32/context.exe", r.Archives["windows_amd64"].holds["context.exe"], 0o755},
	})
	return file{"context_" + r.Version + ".mcpb", content}, err
}

// A packed file is part of a bundle.
type packed struct {
	path    string
	content []byte
	mode    os.FileMode
}

// pack returns files as a zip without times.
func pack(files []packed) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	w.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, f := range files {
		header := &zip.FileHeader{Name: f.path, Method: zip.Deflate}
		header.SetMode(f.mode)
		entry, err := w.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := entry.Write(f.content); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// universal joins programs for macOS into a single file, as lipo does.
func universal(programs ...[]byte) ([]byte, error) {
	const pageBits = 14 // programs begin at a page of 16 KiB, the largest of all processors
	header := binary.BigEndian.AppendUint32(nil, macho.MagicFat)
	header = binary.BigEndian.AppendUint32(header, uint32(len(programs)))
	out := make([]byte, 1<<pageBits)
	for _, program := range programs {
		m, err := macho.NewFile(bytes.NewReader(program))
		if err != nil {
			return nil, err
		}
		for _, word := range []uint32{uint32(m.Cpu), m.SubCpu, uint32(len(out)), uint32(len(program)), pageBits} {
			header = binary.BigEndian.AppendUint32(header, word)
		}
		out = append(out, program...)
		out = append(out, make([]byte, -len(out)&(1<<pageBits-1))...)
	}
	copy(out, header)
	return out, nil
}
