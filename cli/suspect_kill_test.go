package cli_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net"
	"path/filepath"
	"testing"
	"time"
)

// A file that was being ingested when the server crashed, twice, fails and is skipped until
// it is retried manually. Here the server is killed while a scanner hangs.
func TestKillWithOneFile(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	scanning := make(chan struct{}, 100)
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			scanning <- struct{}{}
		}
	}()
	data := filepath.Join(t.TempDir(), "lib")
	makeAdmin(t, data)
	token := dal(t, "", "token", "create", "--data", data, "--user", "ada@example.com", "--name", "test", "--all-abilities")
	start := func() *process { return serve(t, data, "--clamd", "tcp://"+ln.Addr().String()) }
	inHand := func() {
		t.Helper()
		select {
		case <-scanning:
		case <-time.After(time.Minute):
			t.Fatal("the file is not tried")
		}
	}

	p := start()
	var b struct{ Data struct{ ID int64 } }
	if err := p.call(token, "POST", "/upload-batches", "application/json", bytes.NewReader([]byte(`{}`)), &b); err != nil {
		t.Fatal(err)
	}
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	f, err := w.CreateFormFile("file", "a.jpg")
	if err != nil {
		t.Fatal(err)
	}
	f.Write(picture(1, 64))
	w.Close()
	files := fmt.Sprintf("/upload-batches/%d/files", b.Data.ID)
	if err := p.call(token, "POST", files, w.FormDataContentType(), &form, &struct{}{}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		inHand()
		p.kill()
		for len(scanning) > 0 {
			<-scanning
		}
		p = start()
	}
	defer func() { p.kill() }()
	var list struct {
		Data []struct {
			ID     int64
			Status string
			Error  *struct {
				Code      string
				Retryable bool
			}
		}
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(time.Minute); ; { // it is logged soon after the server listens
		if err := p.call(token, "GET", files, "application/json", nil, &list); err != nil {
			t.Fatal(err)
		}
		if list.Data[0].Status == "failed" {
			break
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("the file is %+v", list.Data[0])
		}
	}
	if got := list.Data[0]; got.Status != "failed" || got.Error == nil || got.Error.Code != "limits_exceeded" || !got.Error.Retryable {
		t.Fatalf("the file is %+v, %+v", got, got.Error)
	}
	if err := p.call(token, "POST", fmt.Sprintf("%s/%d/retry", files, list.Data[0].ID), "application/json", nil, &struct{}{}); err != nil {
		t.Fatal(err)
	}
	inHand()
}
