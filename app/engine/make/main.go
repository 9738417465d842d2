// Command make packs the engines of package module. They come from npm packages whose
// tarballs are pinned by their SHA-256:
//
//	npm pack @imagemagick/magick-wasm@0.0.43 @embedpdf/pdfium@2.15.1 @resvg/resvg-wasm@2.6.2
//	go run ./app/engine/make imagemagick-magick-wasm-0.0.43.tgz embedpdf-pdfium-2.15.1.tgz resvg-resvg-wasm-2.6.2.tgz
//
// The one of ffmpeg is built by ../ffmpeg/wasm/build.sh:
//
//	go run ./app/engine/make ffmpeg.wasm
//
// The same tarball, or module, gives the same bytes on every machine.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/digital-asset-library/dal/app/npm"
)

// engines says where each engine comes from: the tarball that npm pack writes, its
// SHA-256, and the file in it; or the module itself.
var engines = []struct{ name, tarball, sum, file string }{
	{
		"ffmpeg", "ffmpeg.wasm",
		"aa9cb3a12e9ce68b29615d1f03083065e5619c619181519ed09408cfce8120a5", "",
	},
	{
		"magick", "imagemagick-magick-wasm-0.0.43.tgz",
		"c62f583065c387464f3be7e808c38d225d28c8a7c233166e3dcaa1771d137aea", "package/dist/x86/magick.wasm",
	},
	{
		"pdfium", "embedpdf-pdfium-2.15.1.tgz",
		"658a30188b4009ac6a41585fae1c0058d7b46552d6d193d72d1ad00bb078d3f6", "package/dist/pdfium.wasm",
	},
	{
		"resvg", "resvg-resvg-wasm-2.6.2.tgz",
		"ff51acbb5ee0074601b75c3bea9226a18d346752af787f6d2d3adcdd98493d71", "package/index_bg.wasm",
	},
}

func main() {
	log.SetFlags(0)
	out := flag.String("o", "app/engine/module", "the `folder` to write to")
	flag.Parse()
	if flag.NArg() == 0 {
		log.Fatal("usage: make [-o FOLDER] TARBALL...")
	}
	for _, tarball := range flag.Args() {
		if err := pack(tarball, *out); err != nil {
			log.Fatal(err)
		}
	}
}

func pack(tarball, out string) error {
	for _, e := range engines {
		if e.tarball != filepath.Base(tarball) {
			continue
		}
		data, err := read(tarball, e.sum, e.file)
		if err != nil {
			return err
		}
		var packed bytes.Buffer
		z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err != nil {
			return err
		}
		if _, err := z.Write(data); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
		fmt.Printf("%x  %s (%d bytes, %d packed)\n", sha256.Sum256(data), e.name, len(data), packed.Len())
		return os.WriteFile(filepath.Join(out, e.name+".wasm.gz"), packed.Bytes(), 0o644)
	}
	return fmt.Errorf("%s is not the tarball of an engine", tarball)
}

// read returns a file of a tarball, or the file itself if no name is given.
func read(tarball, sum, name string) ([]byte, error) {
	if name == "" {
		data, err := os.ReadFile(tarball)
		if got := fmt.Sprintf("%x", sha256.Sum256(data)); err == nil && got != sum {
			err = fmt.Errorf("%s has the SHA-256 %s, not %s", tarball, got, sum)
		}
		return data, err
	}
	files, err := npm.Files(tarball, sum)
	if err != nil {
		return nil, err
	}
	if files[name] == nil {
		return nil, fmt.Errorf("%s has no %s", tarball, name)
	}
	return files[name], nil
}
