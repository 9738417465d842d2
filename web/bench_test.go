package web_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"
)

// BenchmarkIngest measures the time from the upload of a file until it can be found, with
// one file per request and four concurrent requests.
//
// decodings/file is the processor time for a file as a multiple of decoding it with
// image/jpeg, to compare machines.
func BenchmarkIngest(b *testing.B) {
	for _, of := range []struct {
		name    string
		w, h, n int
	}{{"photos", 1920, 1200, 40}, {"small files", 320, 240, 200}} {
		b.Run(of.name, func(b *testing.B) {
			data := detailed(of.w, of.h)
			s := start(b, nil)
			made := 0
			for b.Loop() {
				id := s.batch(b, `{}`)
				var clients sync.WaitGroup
				for c := range 4 {
					clients.Go(func() {
						for i := c; i < of.n; i += 4 {
							name := fmt.Sprintf("p%d.jpg", made+i)
							s.push(b, id, upload{name, append(data[:len(data):len(data)], name...)}).want(b, 201)
						}
					})
				}
				clients.Wait()
				made += of.n
				s.finish(b, id)
			}
			b.ReportMetric(float64(made)/b.Elapsed().Seconds(), "files/s")
			decoding := timed(func() {
				if _, err := jpeg.Decode(bytes.NewReader(data)); err != nil {
					b.Fatal(err)
				}
			})
			each := b.Elapsed() * time.Duration(runtime.GOMAXPROCS(0)) / time.Duration(made)
			b.ReportMetric(float64(each)/float64(decoding), "decodings/file")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// timed returns the average duration of 20 calls.
func timed(do func()) time.Duration {
	const times = 20
	from := time.Now()
	for range times {
		do()
	}
	return time.Since(from) / times
}

// detailed returns a JPEG with edges and noise, like a photo.
func detailed(w, h int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(1, 2))
	for y := range h {
		for x := range w {
			v := 60*((x/37+y/29)%3) + r.IntN(12)
			img.SetRGBA(x, y, color.RGBA{uint8(v + x*100/w), uint8(v + y*80/h), uint8(v / 2), 255})
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 90}); err != nil {
		panic(err)
	}
	return b.Bytes()
}
