package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"runtime"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
)

// ingestPrefix begins the names of uploaded files.
const ingestPrefix = "dal bench ingest "

// ingestTest uploads files and waits until they are in the library.
type ingestTest struct {
	client        *benchClient
	clients       int
	photos, small int
}

// ingestRow is the throughput for one kind of file.
type ingestRow struct {
	Files      string  `json:"files"`
	Count      int     `json:"count"`
	Received   float64 `json:"received_per_s"` // and written to disk
	Ready      float64 `json:"ready_per_s"`    // in the library, including renditions
	Processors int     `json:"processors"`     // of this computer
}

func newBenchIngest() *cobra.Command {
	var client benchClient
	var asJSON bool
	t := &ingestTest{client: &client}
	cmd := &cobra.Command{Use: "ingest", Short: "Measure the speed of uploads and ingestion", Args: takes(),
		Long: `Uploads generated JPEGs, one per request: photos of 1920 × 1200 pixels, and then
small files of 320 × 240. Prints how many files per second were received, and how
many were ingested, with renditions, colours and hashes, from the first request to
the end of the batch.

It adds assets permanently, so it only accepts a library created by dal bench
seed. Run the server with --rate-limit 1000000.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := client.open(t.clients + 1); err != nil {
				return err
			}
			rows, err := t.run(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), rows)
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', tabwriter.AlignRight)
			fmt.Fprintln(w, "FILES\tCOUNT\tRECEIVED/s\tREADY/s\t")
			for _, r := range rows {
				fmt.Fprintf(w, "%s\t%d\t%.1f\t%.1f\t\n", r.Files, r.Count, r.Received, r.Ready)
			}
			return w.Flush()
		}}
	f := flagsOf(cmd)
	client.flags(f)
	f.count(&t.photos, "photos", 200, 5000, "number of photos")
	f.count(&t.small, "small", 1000, 5000, "number of small files")
	f.count(&t.clients, "clients", 4, 100, "number of concurrent requests")
	f.json(&asJSON)
	return cmd
}

func (t *ingestTest) run(ctx context.Context) ([]ingestRow, error) {
	sample, err := t.client.assets(ctx, rand.New(rand.NewPCG(1, 1)), 1)
	if err != nil {
		return nil, err
	}
	if err := requireSeeded(&sample); err != nil {
		return nil, err
	}
	photos, err := t.measure(ctx, "photos", t.photos, 1920, 1200)
	if err != nil {
		return nil, err
	}
	small, err := t.measure(ctx, "small files", t.small, 320, 240)
	return []ingestRow{photos, small}, err
}

// measure uploads n distinct pictures in a new batch.
func (t *ingestTest) measure(ctx context.Context, name string, n, w, h int) (row ingestRow, err error) {
	picture, err := benchPhoto(w, h)
	if err != nil {
		return row, err
	}
	var batch struct {
		Data struct {
			ID          int64   `json:"id"`
			CompletedAt *string `json:"completed_at"`
			Counts      struct {
				Ready int `json:"ready"`
			} `json:"counts"`
		} `json:"data"`
	}
	ask := func(method, path, body string, status int) error {
		data, _, err := t.client.send(ctx, method, path, "application/json", []byte(body), status)
		if err == nil {
			err = json.Unmarshal(data, &batch)
		}
		return err
	}
	if err := ask("POST", "/upload-batches", `{"name":"dal bench ingest","allow_duplicates":true}`, http.StatusCreated); err != nil {
		return row, err
	}
	path := fmt.Sprintf("/upload-batches/%d", batch.Data.ID)
	start := time.Now()
	if err := t.upload(ctx, path+"/files", picture, n); err != nil {
		return row, err
	}
	received := time.Since(start)
	for err = ask("POST", path+"/complete", "{}", http.StatusOK); err == nil && batch.Data.CompletedAt == nil; {
		select {
		case <-ctx.Done():
			return row, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
		err = ask("GET", path, "", http.StatusOK)
	}
	if err == nil && batch.Data.Counts.Ready != n {
		err = fmt.Errorf("%d of %d %s are ready", batch.Data.Counts.Ready, n, name)
	}
	perSecond := func(d time.Duration) float64 { return float64(n) / d.Seconds() }
	return ingestRow{name, n, perSecond(received), perSecond(time.Since(start)), runtime.NumCPU()}, err
}

// upload sends a picture n times, each with different bytes appended.
func (t *ingestTest) upload(ctx context.Context, path string, picture []byte, n int) error {
	var all sync.WaitGroup
	errs := make([]error, t.clients)
	for c := range t.clients {
		all.Go(func() {
			for i := c; i < n && errs[c] == nil; i += t.clients {
				errs[c] = t.one(ctx, path, picture, fmt.Sprintf("%s%d of %d.jpg", ingestPrefix, i+1, n))
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

func (t *ingestTest) one(ctx context.Context, path string, picture []byte, name string) error {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	part, err := w.CreateFormFile("file", name)
	if err != nil {
		return err
	}
	part.Write(picture)
	fmt.Fprint(part, path, name)
	w.Close()
	_, _, err = t.client.send(ctx, "POST", path, w.FormDataContentType(), body.Bytes(), http.StatusCreated)
	return err
}

// benchPhoto returns a JPEG with edges and noise, like a photo.
func benchPhoto(w, h int) ([]byte, error) {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	rnd := rand.New(rand.NewPCG(1, 2))
	for y := range h {
		for x := range w {
			v := 60*((x/37+y/29)%3) + rnd.IntN(12)
			img.SetRGBA(x, y, color.RGBA{uint8(v + x*100/w), uint8(v + y*80/h), uint8(v / 2), 255})
		}
	}
	var b bytes.Buffer
	err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 90})
	return b.Bytes(), err
}
