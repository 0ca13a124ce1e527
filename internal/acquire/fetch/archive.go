package fetch

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"compress/bzip2"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/contextcompiler/context/internal/base/files"
)

// resolveArchive downloads an archive to learn its digest, and keeps its files.
func (f Fetcher) resolveArchive(ctx context.Context, s Origin) (pin Pin, err error) {
	err = f.workOn(ctx, s.Archive, func(work string) error {
		at := filepath.Join(work, "download")
		digest, err := f.save(ctx, s.Archive, at)
		if err != nil {
			return ioError(ctx, s, err)
		}
		pin, err = f.fill(ctx, Pin{Origin: s, SHA256: digest}, func(into *entryFiles, _ string) error {
			return unpackArchive(ctx, s.Archive, at, into)
		})
		return err
	})
	return pin, err
}

// open opens the archive at a URL.
func (f Fetcher) open(ctx context.Context, archive string) (io.ReadCloser, error) {
	parsed, err := url.Parse(archive)
	if err != nil {
		return nil, err
	}
	if parsed.Scheme == "file" {
		file, _, err := files.OpenAnywhere(filepath.FromSlash(parsed.Path))
		return file, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, archive, nil)
	if err != nil {
		return nil, err
	}
	// If the transport decompressed archives that are declared as compressed content,
	// their digest would change.
	request.Header.Set("Accept-Encoding", "identity")
	response, err := f.Client.Do(request)
	if err != nil {
		if inner, ok := errors.AsType[*url.Error](err); ok {
			err = inner.Err
		}
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		response.Body.Close()
		return nil, fmt.Errorf("the server answers %s", response.Status)
	}
	return response.Body, nil
}

// A withContext reader fails when its context ends.
type withContext struct {
	ctx  context.Context
	from io.Reader
}

func (r withContext) Read(p []byte) (int, error) {
	if err := context.Cause(r.ctx); err != nil {
		return 0, err
	}
	return r.from.Read(p)
}

// unpackArchive writes the files of the archive at a path, which came from a URL. A link to a file
// of the archive counts as this file.
func unpackArchive(ctx context.Context, archive, at string, into *entryFiles) error {
	unpack, err := unpackerOf(archive)
	if err != nil {
		return err
	}
	info, err := os.Stat(at)
	if err != nil {
		return err
	}
	into.limit = limitOf(info.Size())
	var links []string // in the order of the archive
	tree := linkTree{map[string]string{}, into.made, map[string]linkEnd{}}
	err = unpack(ctx, at, func(m archiveMember) error {
		name := m.name
		if !slices.Contains(strings.Split(name, "/"), "..") {
			name = path.Clean(name) // ./a, a/./b and a//b are names that programs write
		}
		switch {
		case m.content == nil:
			into.leaveOut(special, name)
		case m.isLink:
			target, err := readTarget(m.size, m.content)
			if err != nil {
				return err
			}
			if into.names += int64(len(name) + len(target)); len(links) == maxFiles || into.names > maxFiles*pathBytes {
				return fmt.Errorf("it contains more than %d links, or too long ones", maxFiles)
			}
			links = append(links, name)
			tree.links[name] = target
		default:
			return into.write(name, m.size, m.content)
		}
		return nil
	})
	if err != nil && isWebPage(at) {
		return errors.New("it is a web page and no archive: open the address in a browser to see what the server says")
	}
	if err != nil {
		return err
	}
	for _, name := range links {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		file, why := tree.follow(name)
		if why != (omissionKind{}) {
			into.leaveOut(why, name)
			continue
		}
		if err := into.copy(name, file); err != nil {
			return err
		}
	}
	if len(into.made) == 0 {
		return errors.New("it contains no files")
	}
	return nil
}

// isWebPage reports whether a file begins like HTML.
func isWebPage(at string) bool {
	file, _, err := files.OpenAnywhere(at)
	if err != nil {
		return false
	}
	defer file.Close()
	start := make([]byte, 512)
	n, _ := io.ReadFull(file, start)
	return strings.HasPrefix(http.DetectContentType(start[:n]), "text/html")
}

// save downloads an archive to a path and returns its SHA-256.
func (f Fetcher) save(ctx context.Context, archive, at string) (digest string, err error) {
	ctx, p := f.keepPace(ctx)
	defer p.stop()
	defer func() {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the server closes the connection before the end: try again later")
		}
		err = p.reason(err)
	}()
	body, err := f.open(ctx, archive)
	if err != nil {
		return "", err
	}
	defer body.Close()
	file, err := os.Create(at)
	if err != nil {
		return "", err
	}
	defer func() {
		if closed := file.Close(); err == nil {
			err = closed
		}
	}()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(file, sum, p), io.LimitReader(withContext{ctx, body}, maxDownload+1))
	if err == nil && n > maxDownload {
		err = fmt.Errorf("it is larger than %d bytes", int64(maxDownload))
	}
	return hex.EncodeToString(sum.Sum(nil)), err
}

// An archiveMember is a file, a link or something else in an archive.
type archiveMember struct {
	name    string
	isLink  bool      // then the content is the target, relative to the directory of the link
	content io.Reader // nil for devices and the like
	size    int64
}

// A visitor receives each member of an archive except for its directories.
type visitor func(m archiveMember) error

// An archiveReader passes the members of the archive at a path to a visitor.
type archiveReader func(ctx context.Context, at string, visit visitor) error

// unpackerOf returns the function for an archive, by the extension in its URL.
func unpackerOf(archive string) (archiveReader, error) {
	parsed, err := url.Parse(archive)
	if err != nil {
		return nil, err
	}
	for _, form := range []struct {
		extensions []string
		unpack     archiveReader
	}{
		{[]string{".zip"}, unpackZip},
		{[]string{".tar"}, tarUnpacker(func(r io.Reader) (io.Reader, error) { return r, nil })},
		{[]string{".tar.gz", ".tgz"}, tarUnpacker(func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) })},
		{[]string{".tar.bz2", ".tbz2"}, tarUnpacker(func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil })},
		{[]string{".tar.zst", ".tzst"}, tarUnpacker(openZstd)},
	} {
		isOf := func(extension string) bool { return strings.HasSuffix(strings.ToLower(parsed.Path), extension) }
		if slices.ContainsFunc(form.extensions, isOf) {
			return form.unpack, nil
		}
	}
	return nil, fmt.Errorf("expected the URL of a .tar, .tar.gz, .tgz, .tar.bz2, .tar.zst or .zip, got %q", parsed.Redacted())
}

// maxWindow is the most bytes that a zstd archive can refer back to, which the decoder keeps in
// memory. It is enough for the highest level of compression without --ultra.
const maxWindow = 64 << 20

func openZstd(r io.Reader) (io.Reader, error) {
	const inThisGoroutine = 1
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(inThisGoroutine), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true))
}

// maxExpansion bounds the bytes that an archive takes on a disk, for each byte of the archive.
// Documentation reaches 10; bombs reach 1,000.
const maxExpansion = 200

func limitOf(archive int64) int64 { return min(maxTree, archive*maxExpansion+1<<20) }

func tarUnpacker(decompress func(io.Reader) (io.Reader, error)) archiveReader {
	return func(ctx context.Context, at string, visit visitor) error {
		file, info, err := files.OpenAnywhere(at)
		if err != nil {
			return err
		}
		defer file.Close()
		plain, err := decompress(file)
		if err != nil {
			return err
		}
		limit := limitOf(info.Size())
		bounded := &io.LimitedReader{R: withContext{ctx, plain}, N: limit}
		for in := tar.NewReader(bounded); ; {
			header, err := in.Next()
			if errors.Is(err, io.EOF) {
				_, err := io.Copy(io.Discard, bounded) // compares the checksum at the end
				return err
			}
			if err == nil {
				err = visitTar(header, in, visit)
			}
			if bounded.N <= 0 {
				return fmt.Errorf("it expands to more than %d bytes", limit)
			}
			if err != nil {
				return err
			}
		}
	}
}

// visitTar visits the member of a tar with a header.
func visitTar(header *tar.Header, in io.Reader, visit visitor) error {
	m := archiveMember{name: header.Name, size: header.Size, content: in}
	target := header.Linkname
	switch header.Typeflag {
	case tar.TypeReg, tar.TypeCont, tar.TypeGNUSparse:
		return visit(m)
	case tar.TypeDir, tar.TypeXGlobalHeader:
		return nil
	case tar.TypeSymlink:
	case tar.TypeLink: // relative to the root of the archive
		if !path.IsAbs(target) {
			target = strings.Repeat("../", strings.Count(path.Clean(m.name), "/")) + target
		}
	default:
		return visit(archiveMember{name: m.name})
	}
	m.isLink, m.size, m.content = true, int64(len(target)), strings.NewReader(target)
	return visit(m)
}

func unpackZip(ctx context.Context, at string, visit visitor) error {
	in, err := zip.OpenReader(at)
	if err != nil {
		return err
	}
	defer in.Close()
	if len(in.File) > maxFiles {
		return fmt.Errorf("it contains more than %d files", maxFiles)
	}
	for _, f := range in.File {
		if isFromWindows := f.CreatorVersion>>8 == 0; isFromWindows && !strings.Contains(f.Name, "/") {
			f.Name = strings.ReplaceAll(f.Name, `\`, "/") // as old programs write it
		}
		if f.Mode().IsDir() {
			continue
		}
		if err := visitZip(ctx, f, visit); err != nil {
			return err
		}
	}
	return nil
}

// visitZip visits a member of a zip.
func visitZip(ctx context.Context, f *zip.File, visit visitor) error {
	isLink := f.Mode().Type() == fs.ModeSymlink
	if !isLink && !f.Mode().IsRegular() {
		return visit(archiveMember{name: f.Name})
	}
	if isEncrypted := f.Flags&1 != 0; isEncrypted {
		return fmt.Errorf("%q is encrypted", f.Name)
	}
	content, err := f.Open()
	if err != nil {
		return fmt.Errorf("unpack %q: %w", f.Name, err)
	}
	err = visit(archiveMember{f.Name, isLink, withContext{ctx, content}, int64(f.UncompressedSize64)})
	return cmp.Or(err, content.Close())
}
