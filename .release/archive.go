package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"
)

// A packed file is one of an archive or an image.
type packed struct {
	name   string // with slashes
	mode   int64
	source string // a file; "" for a folder
	owner  int    // user and group
}

// archive packs the binary with what belongs to it: a zip for Windows, else a
// compressed tar.
func (r *release) archive(t *target) error {
	dir := r.name(t) + "/"
	files := []packed{
		{name: dir + filepath.Base(t.binary), mode: 0o755, source: t.binary},
		{name: dir + "LICENSE", mode: 0o644, source: filepath.Join(r.root, "LICENSE")},
		{name: dir + "README.md", mode: 0o644, source: filepath.Join(r.root, "README.md")},
	}
	if t.os == "linux" {
		files = append(files,
			packed{name: dir + "dal.service", mode: 0o644, source: "files/dal.service"},
			packed{name: dir + "dal.conf", mode: 0o644, source: "files/dal.conf"})
	}
	if t.os == "windows" {
		return write(filepath.Join(r.out, r.name(t)+".zip"), func(w io.Writer) error { return writeZip(w, files, r.date) })
	}
	return write(filepath.Join(r.out, r.name(t)+".tar.gz"), func(w io.Writer) error {
		z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		return errors.Join(writeTar(z, files, r.date), z.Close())
	})
}

func write(path string, fn func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(fn(f), f.Close())
}

// writeTar packs files that all have one time.
func writeTar(w io.Writer, files []packed, at time.Time) error {
	t := tar.NewWriter(w)
	for _, p := range files {
		h := &tar.Header{Name: p.name, Mode: p.mode, ModTime: at, Uid: p.owner, Gid: p.owner, Typeflag: tar.TypeDir, Format: tar.FormatPAX}
		if p.source == "" {
			if err := t.WriteHeader(h); err != nil {
				return err
			}
			continue
		}
		data, err := os.ReadFile(p.source)
		if err != nil {
			return err
		}
		h.Typeflag, h.Size = tar.TypeReg, int64(len(data))
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(data); err != nil {
			return err
		}
	}
	return t.Close()
}

func writeZip(w io.Writer, files []packed, at time.Time) error {
	z := zip.NewWriter(w)
	for _, p := range files {
		data, err := os.ReadFile(p.source)
		if err != nil {
			return err
		}
		h := &zip.FileHeader{Name: p.name, Method: zip.Deflate, Modified: at}
		h.SetMode(os.FileMode(p.mode))
		f, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := f.Write(data); err != nil {
			return err
		}
	}
	return z.Close()
}
