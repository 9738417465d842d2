// Package packed unpacks what is built in and compressed with zstd.
package packed

import "github.com/klauspost/compress/zstd"

// most bounds what is unpacked, in bytes.
const most = 256 << 20

// Unpack returns what was packed.
func Unpack(data []byte) ([]byte, error) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(most), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return z.DecodeAll(data, nil)
}
