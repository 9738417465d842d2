// Command make packs the engines of package module and the data of package language. They
// come from npm packages whose tarballs are pinned by their SHA-256:
//
//	npm pack @imagemagick/magick-wasm@0.0.43 @embedpdf/pdfium@2.15.1 @resvg/resvg-wasm@2.6.2 tesseract.js-core@7.0.0
//	npm pack @tesseract.js-data/eng@1.0.0 @tesseract.js-data/deu@1.0.0 @tesseract.js-data/osd@1.0.0
//	go run ./app/engine/make imagemagick-magick-wasm-0.0.43.tgz embedpdf-pdfium-2.15.1.tgz resvg-resvg-wasm-2.6.2.tgz \
//		tesseract.js-core-7.0.0.tgz tesseract.js-data-eng-1.0.0.tgz tesseract.js-data-deu-1.0.0.tgz tesseract.js-data-osd-1.0.0.tgz
//
// The ffmpeg engine is built by ../ffmpeg/wasm/build.sh:
//
//	go run ./app/engine/make ffmpeg.wasm
//
// The command packs with the program zstd 1.5.4. The output is reproducible on every machine.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/digital-asset-library/dal/app/npm"
)

// engines are the sources of the engines: the tarball written by npm pack, its SHA-256, and
// the file in it; or the module itself.
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
	{
		"tesseract", "tesseract.js-core-7.0.0.tgz",
		"ba584355515eaff877552022853c0e71f2cb70466e759d1d6940484929718ee0", "package/tesseract-core-simd.wasm",
	},
}

// languages are the sources of the language data.
var languages = []struct{ name, tarball, sum string }{
	{"deu", "tesseract.js-data-deu-1.0.0.tgz", "929782d1d505ae09a568c41f2ea73182e84bb323205340abd72654584cd27b2c"},
	{"eng", "tesseract.js-data-eng-1.0.0.tgz", "c9bddf2e2f0a214ac7918f3f4a3caf45e09ce8674fe26662ae7787ac8927f7bb"},
	{"osd", "tesseract.js-data-osd-1.0.0.tgz", "1eb108c844ab2ec27676bf22d826fcd1d9703882c29ca6b365acd60e0d87a131"},
}

func main() {
	log.SetFlags(0)
	out := flag.String("o", "app/engine", "the `folder` whose folders are written to")
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
		return write(filepath.Join(out, "module", e.name+".wasm"), data)
	}
	for _, l := range languages {
		if l.tarball == filepath.Base(tarball) {
			return packLanguage(tarball, l.sum, l.name, filepath.Join(out, "language"))
		}
	}
	return fmt.Errorf("%s is not the tarball of an engine", tarball)
}

// packLanguage packs the data of a language, which its package compresses less.
func packLanguage(tarball, sum, name, out string) error {
	packed, err := read(tarball, sum, "package/4.0.0_best_int/"+name+".traineddata.gz")
	if err != nil {
		return err
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	data, err := io.ReadAll(z)
	if err != nil {
		return err
	}
	return write(filepath.Join(out, name+".traineddata"), data)
}

// write writes and packs a file.
func write(name string, data []byte) error {
	fmt.Printf("%x  %s (%d bytes)\n", sha256.Sum256(data), filepath.Base(name), len(data))
	if err := os.WriteFile(name, data, 0o644); err != nil {
		return err
	}
	zstd := exec.Command("zstd", "--quiet", "--force", "--rm", "--ultra", "-22", name)
	zstd.Stderr = os.Stderr
	return zstd.Run()
}

// read returns a file of a tarball, or the file itself if name is "".
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
