package engine

import "time"

// The memory and time that a file may use depend on its size, so that a few bytes cannot use up
// all memory or block a worker for minutes: a PDF with a stream that is compressed three times
// expands from 700 bytes to a gigabyte, and so does a picture of a single color.
const (
	smallFile       = 64 << 10  // size in bytes up to which a file has
	pictureMemory   = 96 << 20  // bytes of memory in an engine,
	decodedMemory   = 112 << 20 // or in the server, and
	picturePerByte  = 4 << 10   // additional bytes for each byte above
	documentMemory  = 112 << 20 // bytes for the smallest PDF, and
	documentPerByte = 64        // additional bytes for each byte of it

	// A process also holds the code of one or two engines, of which ImageMagick's is the largest.
	// With these limits it stays below 256 MiB in total for any small file.
	maxBeside   = 80 << 20  // bytes of memory with which a worker may start another engine; Linux only
	maxResident = 144 << 20 // bytes of memory after a file until the worker is replaced; Linux only

	leastTime    = 30 * time.Second
	bytesASecond = 32 << 10 // for each additional second
)

// Memory returns the number of bytes that an engine may use for the file of a job. most is
// the general limit.
func (j Job) Memory(most int64) int64 {
	if j.Engine == "pdfium" {
		return min(documentMemory+documentPerByte*min(j.Bytes, most), most)
	}
	return allowance(pictureMemory, max(j.Bytes, j.Of), most)
}

// Decoding returns the number of bytes that the server may use to decode a picture of a size
// itself. most is the general limit.
func Decoding(size, most int64) int64 { return allowance(decodedMemory, size, most) }

func allowance(least, size, most int64) int64 {
	return min(least+picturePerByte*min(max(size-smallFile, 0), most), most)
}

// Time returns the time that an engine may take for the file of a job. most is the general
// limit.
func (j Job) Time(most time.Duration) time.Duration {
	return min(leastTime+time.Duration(j.Bytes/bytesASecond)*time.Second, most)
}
