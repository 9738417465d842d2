package engine

import "time"

// What an engine may take for a file depends on the file's size, so that few bytes can take neither all memory
// nor a worker for minutes: a PDF whose stream is compressed three times is a gigabyte in 700 bytes.
const (
	documentMemory  = 112 << 20 // bytes for the smallest PDF, and
	documentPerByte = 64        // more for each byte of it

	// A picture of one colour takes few bytes, whatever its size: 24 million pixels with 16 bits for each of four
	// channels are 192 MB, and a decoder has them once more.
	pictureMemory  = 448 << 20
	picturePerByte = 1024

	leastTime    = 30 * time.Second
	bytesASecond = 32 << 10 // for a second more
)

// Memory returns how many bytes an engine may use for the file of a job, of the most that it may use.
func (j Job) Memory(most int64) int64 {
	least, each := int64(pictureMemory), int64(picturePerByte)
	if j.Engine == "pdfium" {
		least, each = documentMemory, documentPerByte
	}
	return min(least+each*min(j.Bytes, most), most)
}

// Time returns how long an engine may read the file of a job, of the longest that it may read any.
func (j Job) Time(most time.Duration) time.Duration {
	return min(leastTime+time.Duration(j.Bytes/bytesASecond)*time.Second, most)
}
