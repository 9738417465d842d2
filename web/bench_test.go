package web_test

import (
	"fmt"
	"testing"
)

// BenchmarkIngest takes pictures of one megapixel from the request until they
// can be searched, 20 in a request.
func BenchmarkIngest(b *testing.B) {
	s := start(b, nil)
	data := picture(1, 1200, 900)
	n := 0
	b.SetBytes(int64(20 * len(data)))
	for b.Loop() {
		files := make([]upload, 20)
		for i := range files {
			n++
			files[i] = upload{fmt.Sprintf("p%d.jpg", n), append(data[:len(data):len(data)], fmt.Sprint(n)...)}
		}
		id := s.batch(b, `{}`)
		s.push(b, id, files...).want(b, 201)
		s.finish(b, id)
	}
	b.ReportMetric(float64(20*b.N)/b.Elapsed().Seconds(), "files/s")
}
