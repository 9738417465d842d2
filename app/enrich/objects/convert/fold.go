package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

const (
	conv = iota
	depthwise
	sum
)

// layer is a layer of the file. Weights are in row-major order: window, in, out.
type layer struct {
	kind          int
	clip, scores  bool
	from, and     int
	size, stride  int
	in, out       int
	weights, bias []float32
}

// folding converts nodes to layers. Multiplications and additions of constants are folded
// into the preceding layer if no other node reads it.
type folding struct {
	*graph
	layers  []*layer
	made    map[string]int // layer of a node, from 1
	readers map[string]int
}

// picture is the node whose output is the input of package objects.
const picture = "Preprocessor/sub"

// fold returns the layers that compute the class scores. It omits the positions of objects.
func (g *graph) fold() ([]*layer, error) {
	f := &folding{g, nil, map[string]int{picture: 0}, map[string]int{}}
	outputs := make([]string, 6)
	for i := range outputs {
		outputs[i] = fmt.Sprintf("BoxPredictor_%d/ClassPredictor/BiasAdd", i)
		f.count(outputs[i], map[string]bool{})
	}
	for _, name := range outputs {
		i, err := f.layer(name)
		if err != nil {
			return nil, err
		}
		f.layers[i-1].scores = true
	}
	return f.layers, nil
}

// count counts the readers of each node.
func (f *folding) count(name string, seen map[string]bool) {
	if f.readers[name]++; f.readers[name] > 1 || name == picture {
		return
	}
	for _, in := range f.nodes[name].Input {
		f.count(in, seen)
	}
}

// layer returns the layer of a node, from 1; 0 is the picture.
func (f *folding) layer(name string) (int, error) {
	if i, ok := f.made[name]; ok {
		return i, nil
	}
	n := f.nodes[name]
	if n == nil || strings.Contains(name, ":") {
		return 0, fmt.Errorf("there is no node %s", name)
	}
	i, err := f.fresh(n)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	f.made[name] = i
	return i, nil
}

func (f *folding) fresh(n *node) (int, error) {
	switch n.Op {
	case "Conv2D", "DepthwiseConv2dNative":
		return f.window(n)
	case "AddN":
		return f.sum(n.Input)
	case "Relu6":
		i, l, err := f.own(n.Input[0])
		if err == nil {
			l.clip = true
		}
		return i, err
	case "FusedBatchNorm":
		return f.norm(n)
	case "Mul", "Add", "BiasAdd":
		at := slices.IndexFunc(n.Input, func(in string) bool { _, ok := f.tensors[in]; return ok })
		if at < 0 {
			return f.sum(n.Input)
		}
		values := f.tensors[n.Input[at]].values
		i, l, err := f.own(n.Input[1-at])
		if err != nil {
			return 0, err
		}
		if n.Op == "Mul" {
			return i, l.scale(values)
		}
		for l.kind == sum { // adding to the operand that only the sum reads is equivalent
			l = f.layers[l.from-1]
		}
		return i, l.add(values)
	}
	return 0, fmt.Errorf("the operation %s is not known", n.Op)
}

// own returns the layer of a node with exactly one reader.
func (f *folding) own(name string) (int, *layer, error) {
	i, err := f.layer(name)
	if err != nil {
		return 0, nil, err
	}
	if i == 0 || f.readers[name] != 1 {
		return 0, nil, fmt.Errorf("%s has %d readers", name, f.readers[name])
	}
	if l := f.layers[i-1]; !l.clip {
		return i, l, nil
	}
	return 0, nil, fmt.Errorf("%s is clipped", name)
}

func (f *folding) window(n *node) (int, error) {
	from, err := f.layer(n.Input[0])
	if err != nil {
		return 0, err
	}
	w := f.tensors[n.Input[1]]
	strides, dilations := n.Attr.Strides.List.I, n.Attr.Dilations.List.I
	same := ""
	for _, c := range n.Attr.Padding.S {
		same += string(rune(c))
	}
	var stride int
	if len(w.shape) != 4 || w.shape[0] != w.shape[1] || len(strides) != 4 || strides[1] != strides[2] || same != "SAME" ||
		!slices.Equal(dilations, []string{"1", "1", "1", "1"}) {
		return 0, fmt.Errorf("weights of %v, strides %v, dilations %v, padding %q", w.shape, strides, dilations, same)
	}
	if _, err := fmt.Sscan(strides[1], &stride); err != nil {
		return 0, err
	}
	l := &layer{kind: conv, from: from, size: w.shape[0], stride: stride, in: w.shape[2], out: w.shape[3]}
	if n.Op != "Conv2D" {
		if l.kind, l.out = depthwise, l.in; w.shape[3] != 1 {
			return 0, fmt.Errorf("weights of %v", w.shape)
		}
	}
	l.weights, l.bias = slices.Clone(w.values), make([]float32, l.out)
	f.layers = append(f.layers, l)
	return len(f.layers), nil
}

func (f *folding) sum(inputs []string) (int, error) {
	if len(inputs) != 2 {
		return 0, fmt.Errorf("a sum of %d", len(inputs))
	}
	// The first operand is read only by the sum, so a constant can be added to it later.
	if f.readers[inputs[0]] > 1 {
		inputs = []string{inputs[1], inputs[0]}
	}
	a, _, err := f.own(inputs[0])
	if err != nil {
		return 0, err
	}
	b, err := f.layer(inputs[1])
	if err != nil {
		return 0, err
	}
	l := &layer{kind: sum, from: a, and: b, size: 1, stride: 1, in: f.layers[a-1].out, out: f.layers[a-1].out}
	f.layers = append(f.layers, l)
	return len(f.layers), nil
}

// norm folds a batch normalization.
func (f *folding) norm(n *node) (int, error) {
	i, l, err := f.own(n.Input[0])
	if err != nil {
		return 0, err
	}
	var of [4][]float32
	for i, name := range n.Input[1:] {
		of[i] = f.tensors[name].values
	}
	scale, shift, mean, variance := of[0], of[1], of[2], of[3]
	if min(len(scale), len(shift), len(mean), len(variance)) != l.out || n.Attr.Epsilon.F <= 0 {
		return 0, fmt.Errorf("a normalisation of %d numbers, ε %v", len(scale), n.Attr.Epsilon.F)
	}
	factors, terms := make([]float32, l.out), make([]float32, l.out)
	for i := range factors {
		factors[i] = float32(float64(scale[i]) / math.Sqrt(float64(variance[i])+n.Attr.Epsilon.F))
		terms[i] = shift[i] - mean[i]*factors[i]
	}
	if err := l.scale(factors); err != nil {
		return 0, err
	}
	return i, l.add(terms)
}

func (l *layer) scale(by []float32) error {
	if l.kind == sum || len(by) != l.out {
		return fmt.Errorf("%d channels times %d numbers", l.out, len(by))
	}
	for i := range l.weights {
		l.weights[i] *= by[i%l.out]
	}
	for i := range l.bias {
		l.bias[i] *= by[i]
	}
	return nil
}

func (l *layer) add(terms []float32) error {
	if len(terms) != l.out {
		return fmt.Errorf("%d channels and %d numbers", l.out, len(terms))
	}
	for i, v := range terms {
		l.bias[i] += v
	}
	return nil
}
