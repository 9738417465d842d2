package main

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/digital-asset-library/dal/app/enrich/matrix"
)

const magic = "DALUSE1\n"

// The names of the tensors in the tfjs model; %d is the layer.
const (
	graph   = "module_apply_default/Encoder_en/KonaTransformer/Encode/"
	folded  = graph + "Layer_%d/TransformerLayer/"
	kernels = "module/Encoder_en/KonaTransformer/Encode/Layer_%d/TransformerLayer/MultiheadAttention/"
	stack   = graph + "TransformerStack/Layer_%d/TransformerLayer/"
	joined  = "/ConcatPartitions/concat"
)

// writer builds the file and records the first error.
type writer struct {
	tensors map[string]tensor
	out     []byte
	err     error
}

// write encodes the model file. See textvec/file.go for its format.
func write(pieces []piece, tensors map[string]tensor) ([]byte, error) {
	w := &writer{tensors: tensors, out: []byte(magic)}
	w.out = binary.LittleEndian.AppendUint32(w.out, uint32(len(pieces)))
	for _, p := range pieces {
		if len(p.text) == 0 || len(p.text) > math.MaxUint8 {
			return nil, fmt.Errorf("the piece %q has a length of %d bytes", p.text, len(p.text))
		}
		w.out = binary.LittleEndian.AppendUint64(w.out, math.Float64bits(p.score))
		w.out = append(w.out, byte(len(p.text)))
		w.out = append(w.out, p.text...)
	}
	embeddings := w.find("module/Embeddings_en", 8002, 256)
	w.out = binary.LittleEndian.AppendUint32(w.out, uint32(8002))
	w.halves(embeddings)
	w.vector(graph+"TransformerStack/Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1", 128)
	for i, width := range []int{256, 512} {
		named := func(format, rest string) string { return fmt.Sprintf(format, i) + rest }
		w.vector(named(folded, "layer_prepostprocess/layer_norm/layer_norm_scale"+joined), width)
		w.vector(named(folded, "layer_prepostprocess/layer_norm/layer_norm_bias"+joined), width)
		w.matrix(named(kernels, "qkv_transform_single/kernel/part_0"), width, 3*width)
		w.vector(named(folded, "MultiheadAttention/qkv_transform_single/bias"+joined), 3*width)
		w.matrix(named(kernels, "output_transform_single/kernel/part_0"), width, 512)
		w.vector(named(folded, "MultiheadAttention/output_transform_single/bias"+joined), 512)
		if width != 512 {
			w.matrix(named(folded, "dense/kernel"+joined), width, 512)
			w.vector(named(folded, "dense/bias"+joined), 512)
		}
		w.vector(named(folded, "FFN/layer_prepostprocess/layer_norm/layer_norm_scale"+joined), 512)
		w.vector(named(folded, "FFN/layer_prepostprocess/layer_norm/layer_norm_bias"+joined), 512)
		w.matrix(named(stack, "FFN/conv1/Tensordot/Reshape_1"), 512, 1536)
		w.vector(named(folded, "FFN/conv1/bias"+joined), 1536)
		w.matrix(named(stack, "FFN/conv2/Tensordot/Reshape_1"), 1536, 512)
		w.vector(named(folded, "FFN/conv2/bias"+joined), 512)
	}
	w.matrix("module/Encoder_en/hidden_layers/tanh_layer_0/weights", 512, 512)
	w.vector("module/Encoder_en/hidden_layers/tanh_layer_0/bias", 512)
	return w.out, w.err
}

// find returns the values of a tensor of the given shape, ignoring dimensions of 1.
func (w *writer) find(name string, shape ...int) []float32 {
	t, ok := w.tensors[name]
	var dims []int
	size := 1
	for _, n := range t.shape {
		if n != 1 {
			dims = append(dims, n)
		}
		size *= n
	}
	if w.err == nil && (!ok || fmt.Sprint(dims) != fmt.Sprint(shape)) {
		w.err = fmt.Errorf("the tensor %s has the shape %v, not %v", name, t.shape, shape)
	}
	if w.err != nil {
		return nil
	}
	values := make([]float32, size)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(t.values[4*i:]))
	}
	return values
}

func (w *writer) vector(name string, n int) {
	for _, v := range w.find(name, n) {
		w.out = binary.LittleEndian.AppendUint32(w.out, math.Float32bits(v))
	}
}

// matrix writes a matrix in panels of 16 columns. The rows of a panel are consecutive.
func (w *writer) matrix(name string, rows, columns int) {
	values := w.find(name, rows, columns)
	if values == nil {
		return
	}
	for j := 0; j < columns; j += 16 {
		for i := range rows {
			w.halves(values[i*columns+j : i*columns+j+16])
		}
	}
}

func (w *writer) halves(values []float32) {
	for _, v := range values {
		h, ok := matrix.Half(v)
		if !ok && w.err == nil {
			w.err = fmt.Errorf("%v has no place in 16 bits", v)
		}
		w.out = binary.LittleEndian.AppendUint16(w.out, h)
	}
}
