package storage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func advance(t *testing.T, s *Store, times int) (l Library) {
	t.Helper()
	for range times {
		if err := s.Update(t.Context(), func(tx *Tx) (err error) { l, err = tx.AdvanceLibrary(0); return err }); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// A database that replaced another is not mixed with the log that the old one left when
// its process was killed.
func TestCheckLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	copyTo := func(from, to string) {
		t.Helper()
		data, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(to, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	make := func(name string, changes int) (path string) {
		t.Helper()
		path = filepath.Join(dir, name)
		s, err := Open(t.Context(), path, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		advance(t, s, changes)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return path
	}
	path, other := make("dal.db", 3), make("other.db", 300)
	older := filepath.Join(dir, "older.db")
	copyTo(path, older)
	if err := CheckLog(t.Context(), path); err != nil {
		t.Error(err)
	}
	for range 2 { // twice, so that all of it is in the database
		s, err := Open(t.Context(), path, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		advance(t, s, 200)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Open(t.Context(), path, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if l := advance(t, s, 2); l.Change != 405 {
		t.Fatalf("%+v", l)
	}
	if err := CheckLog(t.Context(), path); err != nil {
		t.Errorf("its own log: %v", err)
	}
	for from, want := range map[string]error{path: nil, older: ErrOtherLog, other: ErrOtherLog} {
		to := filepath.Join(dir, "restored.db")
		copyTo(from, to)
		copyTo(path+"-wal", to+"-wal")
		if err := CheckLog(t.Context(), to); !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("%s with the log: %v", filepath.Base(from), err)
		}
	}
}

func FuzzLog(f *testing.F) {
	head := make([]byte, logHeader)
	binary.BigEndian.PutUint32(head, 0x377f0682)
	binary.BigEndian.PutUint32(head[8:], 512)
	frame := make([]byte, frameHeader)
	binary.BigEndian.PutUint32(frame, 2)
	page := make([]byte, 512)
	copy(page, []byte{13, 0, 0, 0, 1, 1, 0, 0, 1, 0})
	copy(page[256:], append([]byte{42, 1, 4, 0, 85, 1}, "01234567-89ab-4def-8123-456789abcdef\x07"...))
	whole := bytes.Join([][]byte{head, frame, page}, nil)
	if l, ok, err := firstInLog(bytes.NewReader(whole), 2); !ok || err != nil || l.Change != 7 {
		f.Fatalf("%+v, %v, %v", l, ok, err)
	}
	f.Add(whole)
	f.Add(whole[:100])
	f.Add(head)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		l, ok, err := firstInLog(bytes.NewReader(data), 2)
		if err != nil || ok && (len(l.ID) != 36 || l.Change < 0) {
			t.Errorf("%+v, %v, %v", l, ok, err)
		}
	})
}
