package blob_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/storage/blob"
)

// A file received in pieces, by several processes, becomes a blob.
func TestIncoming(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), t.Context()
	name := strings.Repeat("0a", 16)
	data := bytes.Repeat([]byte("harbour "), 1000)
	size, state := int64(0), []byte(nil)
	for i := range 4 {
		s, err := blob.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		in, err := s.OpenIncoming(ctx, name, size, state)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.Write(data[size : size+2000]); err != nil {
			t.Fatal(err)
		}
		if i == 3 {
			finishIncoming(t, s, in, name, data)
			s.Close()
			return
		}
		if state, err = in.State(); err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			state = []byte("of another version") // forces the checksum to be computed again
		}
		size += 2000
		_, err = in.Write([]byte("what was not noted"))
		if err := errors.Join(err, in.Sync()); err != nil {
			t.Fatal(err)
		}
		in.Close()
		s.Close()
	}
}

// finishIncoming adopts an incoming file, once without recording it.
func finishIncoming(t *testing.T, s *blob.Store, in *blob.Incoming, name string, data []byte) {
	t.Helper()
	ctx := t.Context()
	temp, err := in.Finish()
	if err != nil {
		t.Fatal(err)
	}
	no := errors.New("no")
	if err := s.Adopt(ctx, []*blob.Temp{temp}, func() error { return no }); !errors.Is(err, no) {
		t.Fatal(err)
	}
	temp.Discard()
	// The blob now has this file; then the last piece is sent again, with other bytes.
	again, err := s.OpenIncoming(ctx, name, 6000, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := again.Write(bytes.Repeat([]byte("x"), 2000)); err != nil {
		t.Fatal(err)
	}
	again.Close()
	if err := s.Verify(ctx, temp.SHA256()); err != nil {
		t.Errorf("the blob has changed: %v", err)
	}
	if again, err = s.OpenIncoming(ctx, name, 6000, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := again.Write(data[6000:]); err != nil {
		t.Fatal(err)
	}
	second, err := again.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if second.SHA256() != temp.SHA256() || second.Size() != int64(len(data)) {
		t.Errorf("%s, %d bytes", second.SHA256(), second.Size())
	}
	if err := s.Adopt(ctx, []*blob.Temp{second}, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	f, err := s.Open(second.SHA256())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if kept, err := io.ReadAll(f); err != nil || !bytes.Equal(kept, data) {
		t.Errorf("%d bytes, %v", len(kept), err)
	}
	if names, err := s.Incomings("", 10); err != nil || len(names) != 1 || names[0] != name {
		t.Errorf("%v, %v", names, err)
	}
	if err := errors.Join(s.RemoveIncoming(name), s.RemoveIncoming(name)); err != nil {
		t.Error(err)
	}
	if names, err := s.Incomings("", 10); err != nil || len(names) != 0 {
		t.Errorf("%v, %v", names, err)
	}
}

// Missing bytes are an error, and names cannot escape the folder.
func TestIncomingLost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := blob.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	name := strings.Repeat("f", 32)
	for range 2 { // missing, then too short
		if _, err := s.OpenIncoming(t.Context(), name, 5, nil); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v", err)
		}
		if err := os.WriteFile(filepath.Join(dir, "incoming", name), []byte("four"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, wrong := range []string{"", "../lock", strings.Repeat("F", 32), name + "0", "../" + name[3:]} {
		if _, err := s.OpenIncoming(t.Context(), wrong, 0, nil); err == nil {
			t.Errorf("%q is a name", wrong)
		}
		if err := s.RemoveIncoming(wrong); err == nil {
			t.Errorf("%q is a name", wrong)
		}
	}
}
