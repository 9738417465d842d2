package main

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/digital-asset-library/dal/app/enrich/matrix"
)

const magic = "DALSSD1\n"

// write encodes the model file. See objects/file.go for its format.
func write(layers []*layer) ([]byte, error) {
	out := binary.LittleEndian.AppendUint16([]byte(magic), uint16(len(layers)))
	for _, l := range layers {
		var flags byte
		if l.clip {
			flags |= 1
		}
		if l.scores {
			flags |= 2
		}
		out = append(out, byte(l.kind), flags)
		out = binary.LittleEndian.AppendUint16(out, uint16(l.from))
		out = binary.LittleEndian.AppendUint16(out, uint16(l.and))
		out = append(out, byte(l.size), byte(l.stride))
		out = binary.LittleEndian.AppendUint16(out, uint16(l.in))
		out = binary.LittleEndian.AppendUint16(out, uint16(l.out))
		out = floats(out, l.bias)
		if l.kind == depthwise {
			out = floats(out, l.weights)
			continue
		}
		for j := 0; j < l.out; j += matrix.Panel {
			for i := 0; i < len(l.weights); i += l.out {
				for c := j; c < j+matrix.Panel; c++ {
					var v float32 // padding after the last column
					if c < l.out {
						v = l.weights[i+c]
					}
					h, ok := matrix.Half(v)
					if !ok {
						return nil, fmt.Errorf("%v has no place in 16 bits", v)
					}
					out = binary.LittleEndian.AppendUint16(out, h)
				}
			}
		}
	}
	return out, nil
}

func floats(out []byte, values []float32) []byte {
	for _, v := range values {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	return out
}
