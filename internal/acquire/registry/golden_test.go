package registry

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// wordyText returns a text that compresses about as well as documentation does: words of
// a small vocabulary in an order that looks random, with a few bytes that don't repeat.
func wordyText(size int) []byte {
	text := make([]byte, 0, size+16)
	state := uint64(1)
	for len(text) < size {
		state = state*6364136223846793005 + 1442695040888963407
		for n := state >> 60; n > 0; n-- {
			text = append(text, "etaoinshrdlucmfw"[(state>>(n*3))&15])
		}
		text = append(text, ' ')
		if state>>40&1023 == 0 {
			text = binary.LittleEndian.AppendUint64(text, state)
		}
	}
	return text[:size]
}

// The compressed bytes decide the digest of an artifact, so they must not depend on the
// processor, on its assembly, or on how many goroutines compress. The test also runs with
// -tags noasm and on other architectures.
func TestTheBytesOfTheCompressorAreGolden(t *testing.T) {
	const golden = "sha256:c0b9eff974c07b9ae6f1067a3e672be046d0a33e791734ff5435eb41272a2f55"
	text := wordyText(9 << 20) // more than the window
	var out bytes.Buffer
	_, blob, err := writeLayer(&out, layerNames[0], false, func(w tarWriter) error {
		return w.add("manifest.json", int64(len(text)), bytes.NewReader(text))
	})
	if err != nil {
		t.Fatal(err)
	}
	if blob.Digest != golden {
		t.Errorf("got %s, want %s", blob.Digest, golden)
	}
	archive := archiveOf(t, []string{"manifest.json"}, func(string) string { return string(text) })
	for _, jobs := range []int{1, 8} {
		var again bytes.Buffer
		encoder, err := zstd.NewWriter(&again, zstd.WithEncoderConcurrency(jobs), zstd.WithEncoderLevel(zstd.SpeedDefault))
		if err != nil {
			t.Fatal(err)
		}
		for rest := archive; len(rest) > 0; {
			n := min(len(rest), 1000*jobs+1) // because the sizes of writes must not matter either
			encoder.Write(rest[:n])
			rest = rest[n:]
		}
		encoder.Close()
		if !bytes.Equal(again.Bytes(), out.Bytes()) {
			t.Errorf("with %d goroutines, the compressor writes other bytes", jobs)
		}
	}
}
