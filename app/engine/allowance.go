package engine

import "time"

// The memory and time that an engine may use for a file depend on its size, so that a few
// bytes cannot use up all memory or block a worker for minutes: a PDF with a stream that is
// compressed three times expands from 700 bytes to a gigabyte.
const (
	documentMemory  = 112 << 20 // bytes for the smallest PDF, and
	documentPerByte = 64        // additional bytes for each byte of it

	// A monochrome picture of any size takes few bytes: 24 million pixels with 16
	// bits for each of four channels are 192 MB, and a decoder holds them twice.
	pictureMemory  = 448 << 20
	picturePerByte = 1024

	leastTime    = 30 * time.Second
	bytesASecond = 32 << 10 // for each additional second
)

// Memory returns the number of bytes that an engine may use for the file of a job. most is
// the general limit.
func (j Job) Memory(most int64) int64 {
	least, each := int64(pictureMemory), int64(picturePerByte)
	if j.Engine == "pdfium" {
		least, each = documentMemory, documentPerByte
	}
	return min(least+each*min(j.Bytes, most), most)
}

// Time returns the time that an engine may take for the file of a job. most is the general
// limit.
func (j Job) Time(most time.Duration) time.Duration {
	return min(leastTime+time.Duration(j.Bytes/bytesASecond)*time.Second, most)
}
