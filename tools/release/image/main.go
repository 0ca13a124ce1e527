// Image makes a container image from the Linux archives of a release.
//
//	image LAYOUT ARCHIVE...
//
// The image contains only the two programs of each archive. It is an index with an
// image for each architecture, in a directory with the OCI layout. The same
// archives always result in the same bytes.
package main

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/contextcompiler/context/tools/release/internal/archive"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: image LAYOUT ARCHIVE...")
		os.Exit(1)
	}
	digest, err := write(os.Args[1], os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	fmt.Println(digest)
}

// write makes the layout and returns the digest of the image.
func write(dir string, archives []string) (digest v1.Hash, err error) {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, path := range archives {
		if index, err = add(index, path); err != nil {
			return digest, fmt.Errorf("%s: %w", path, err)
		}
	}
	out, err := layout.Write(dir, empty.Index)
	if err != nil {
		return digest, err
	}
	if err := out.AppendIndex(index); err != nil {
		return digest, err
	}
	return index.Digest()
}

func add(index v1.ImageIndex, path string) (v1.ImageIndex, error) {
	a, err := archive.Open(path)
	if err != nil {
		return nil, err
	}
	programs, err := a.Programs()
	if err != nil {
		return nil, err
	}
	files, err := filesOf(a, programs)
	if err != nil {
		return nil, err
	}
	img, err := image(programs[0], files)
	if err != nil {
		return nil, err
	}
	platform := &v1.Platform{OS: programs[0].Setting("GOOS"), Architecture: programs[0].Setting("GOARCH")}
	return mutate.AppendManifests(index, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: platform}}), nil
}

// filesOf returns the layer, as a tar. It includes a directory for the user's
// files, to which every user can write.
func filesOf(a *archive.Archive, programs []archive.Program) ([]byte, error) {
	var layer bytes.Buffer
	w := tar.NewWriter(&layer)
	file := func(name string, mode int64, content []byte) error {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: mode, Size: int64(len(content)), ModTime: time.Unix(0, 0)}); err != nil {
			return err
		}
		_, err := w.Write(content)
		return err
	}
	for _, dir := range []string{"usr/", "usr/bin/", "usr/share/", "usr/share/doc/", "usr/share/doc/context/", "work/"} {
		mode := int64(0o755)
		if dir == "work/" {
			mode = 0o1777
		}
		if err := file(dir, mode, nil); err != nil {
			return nil, err
		}
	}
	for _, p := range programs {
		if err := file(path.Join("usr/bin", p.Name), 0o755, p.Content); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"LICENSE", "THIRD_PARTY_NOTICES"} {
		if err := file(path.Join("usr/share/doc/context", name), 0o644, a.Files[name]); err != nil {
			return nil, err
		}
	}
	err := w.Close() // also writes the end
	return layer.Bytes(), err
}

// image returns an image with a single layer that runs the program.
func image(program archive.Program, files []byte) (v1.Image, error) {
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(files)), nil
	}, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	if img, err = mutate.AppendLayers(img, layer); err != nil {
		return nil, err
	}
	config, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	created, err := time.Parse(time.RFC3339, program.Setting("vcs.time"))
	if err != nil {
		return nil, fmt.Errorf("%s was not built from a clone: %w", program.Name, err)
	}
	config.Created = v1.Time{Time: created}
	config.OS, config.Architecture = program.Setting("GOOS"), program.Setting("GOARCH")
	config.Config = v1.Config{
		Entrypoint: []string{"/usr/bin/context"},
		Env:        []string{"PATH=/usr/bin"},
		User:       "65532:65532", // nonroot, as in distroless images
		WorkingDir: "/work",
		Labels:     labels(program),
	}
	return mutate.ConfigFile(img, config)
}

// labels returns the OCI labels, and a label for the MCP registry.
func labels(program archive.Program) map[string]string {
	const source = "https://github.com/contextcompiler/context"
	return map[string]string{
		"org.opencontainers.image.title":         "context",
		"org.opencontainers.image.description":   "Compiler for documentation that answers questions within a token budget",
		"org.opencontainers.image.licenses":      "MIT",
		"org.opencontainers.image.source":        source,
		"org.opencontainers.image.documentation": source + "#readme",
		"org.opencontainers.image.version":       program.Info.Main.Version,
		"org.opencontainers.image.revision":      program.Setting("vcs.revision"),
		"org.opencontainers.image.created":       program.Setting("vcs.time"),
		"io.modelcontextprotocol.server.name":    "io.github.contextcompiler/context",
	}
}
