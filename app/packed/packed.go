// Package packed decompresses built-in zstd data.
package packed

import "github.com/klauspost/compress/zstd"

// most is the maximum decompressed size in bytes.
const most = 256 << 20

// Unpack decompresses data.
func Unpack(data []byte) ([]byte, error) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(most), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return z.DecodeAll(data, nil)
}
