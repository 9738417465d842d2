package cli_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"mime/multipart"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

type envelope struct {
	Data struct {
		ID     int64
		Status string
		Counts dam.BatchCounts
	}
}

// A server that is killed at any moment loses no acknowledged data and does nothing twice.
// DAL_KILL_ROUNDS is the number of rounds, 4 by default.
func TestKill(t *testing.T) {
	t.Parallel()
	rounds := 4
	if n, err := strconv.Atoi(os.Getenv("DAL_KILL_ROUNDS")); err == nil {
		rounds = n
	}
	data := filepath.Join(t.TempDir(), "lib")
	makeAdmin(t, data)
	token := dal(t, "", "token", "create", "--data", data, "--user", "ada@example.com", "--name", "t", "--all-abilities")

	var mu sync.Mutex
	acknowledged := map[int64]string{} // file names by id
	var batches []int64
	seed := 0
	push := func(p *process) error {
		var b envelope
		if err := p.call(token, "POST", "/upload-batches", "application/json", strings.NewReader(`{}`), &b); err != nil {
			return err
		}
		mu.Lock()
		batches = append(batches, b.Data.ID)
		mu.Unlock()
		for range 3 {
			var form bytes.Buffer
			w := multipart.NewWriter(&form)
			for range 4 {
				mu.Lock()
				seed++
				n := seed
				mu.Unlock()
				f, err := w.CreateFormFile("file", fmt.Sprintf("p%d.jpg", n))
				if err != nil {
					return err
				}
				f.Write(append(picture(n, 64), fmt.Sprintf("unique %d", n)...))
			}
			w.Close()
			var files struct {
				Data []struct {
					ID       int64
					Filename string
				}
			}
			path := fmt.Sprintf("/upload-batches/%d/files", b.Data.ID)
			if err := p.call(token, "POST", path, w.FormDataContentType(), &form, &files); err != nil {
				return err
			}
			mu.Lock()
			for _, f := range files.Data {
				acknowledged[f.ID] = f.Filename
			}
			mu.Unlock()
		}
		return nil
	}
	for range rounds {
		p := serve(t, data)
		var clients sync.WaitGroup
		for range 2 {
			clients.Go(func() {
				for push(p) == nil {
				}
			})
		}
		<-time.After(time.Duration(20+rand.IntN(400)) * time.Millisecond) // the moment of the fault
		p.kill()
		clients.Wait()
	}
	if len(acknowledged) == 0 {
		t.Fatal("no file was acknowledged before a kill")
	}

	p := serve(t, data)
	for _, id := range batches {
		var b envelope
		if err := p.call(token, "POST", fmt.Sprintf("/upload-batches/%d/complete", id), "application/json", nil, &b); err != nil {
			t.Fatal(err)
		}
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(3 * time.Minute)
	for _, id := range batches {
		for {
			var b envelope
			if err := p.call(token, "GET", fmt.Sprintf("/upload-batches/%d", id), "application/json", nil, &b); err != nil {
				t.Fatal(err)
			}
			if b.Data.Status == "completed" {
				break
			}
			if b.Data.Status != "processing" {
				t.Fatalf("batch %d is %s: %+v", id, b.Data.Status, b.Data.Counts)
			}
			select {
			case <-tick.C:
			case <-deadline:
				t.Fatalf("batch %d does not end: %+v", id, b.Data.Counts)
			}
		}
	}
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("an orderly stop: %v", err)
	}
	dal(t, "", "check", "--data", data)
	verifyRecords(t, data, acknowledged, len(batches))
}

// verifyRecords checks the records themselves.
func verifyRecords(t *testing.T, data string, acknowledged map[int64]string, batches int) {
	read(t, records(t, data), func(tx *storage.Tx) error {
		gaids := map[dam.GAID]int64{}
		for id, name := range acknowledged {
			f, err := tx.BatchFile(id)
			if err != nil {
				return fmt.Errorf("file %d, which was acknowledged: %w", id, err)
			}
			if f.Status != dam.FileReady || f.Filename != name {
				t.Errorf("file %d, %s, is %s: %v", id, name, f.Status, f.Error)
			}
			if other := gaids[f.GAID]; other != 0 {
				t.Errorf("files %d and %d have become one asset", id, other)
			}
			gaids[f.GAID] = id
		}
		events := map[string]int{}
		list, err := tx.Events(0, 1_000_000)
		for _, e := range list {
			events[string(e.Type)+" "+e.Subject]++
		}
		ended := 0
		for what, n := range events {
			if n != 1 {
				t.Errorf("%d events %s", n, what)
			}
			if strings.HasPrefix(what, string(dam.UploadBatchCompleted)) {
				ended++
			}
		}
		if ended < batches {
			t.Errorf("%d batches ended for %d that were opened", ended, batches)
		}
		changes, err2 := tx.Changes(0, 1_000_000, true)
		if len(changes) < len(acknowledged) || len(changes) != len(events)-ended {
			t.Errorf("%d assets, %d acknowledged files, %d asset events", len(changes), len(acknowledged), len(events)-ended)
		}
		t.Logf("%d files acknowledged, %d assets, %d batches", len(acknowledged), len(changes), ended)
		if err == nil {
			err = err2
		}
		return err
	})
}

// Two servers never share a folder, and a library of a newer version is not touched.
func TestOneServer(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "lib")
	p := serve(t, data)
	defer p.kill()
	out, err := exec.Command("dal", "serve", "--data", data, "--listen", "127.0.0.1:0").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "another dal serves this data folder") {
		t.Errorf("a second server: %v %s", err, out)
	}
}

// tellOnce serves data, kills the server while it emits events about assets, and then lets it
// finish. told returns the number of events by asset: initially there must be none, and finally
// one for each of all assets.
func tellOnce[K comparable](t *testing.T, data string, all int, told func() map[K]int) {
	t.Helper()
	if n := len(told()); n != 0 {
		t.Fatalf("%d assets are told of before", n)
	}
	follow := func(least int) {
		t.Helper()
		deadline, tick := time.After(2*time.Minute), time.NewTicker(2*time.Millisecond)
		defer tick.Stop()
		for len(told()) < least {
			select {
			case <-tick.C:
			case <-deadline:
				t.Fatalf("%d assets are told of, want %d", len(told()), least)
			}
		}
	}
	interrupted := 0
	for range 4 {
		p := serve(t, data)
		follow(min(len(told())+1, all))
		p.kill()
		if len(told()) < all {
			interrupted++
		}
	}
	if interrupted == 0 {
		t.Fatal("no kill was in the middle")
	}
	p := serve(t, data)
	follow(all)
	noErr(t, p.cmd.Process.Signal(os.Interrupt))
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("an orderly stop: %v", err)
	}
	for k, n := range told() {
		if n != 1 {
			t.Errorf("%v is told of %d times", k, n)
		}
	}
}
