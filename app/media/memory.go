package media

import "github.com/digital-asset-library/dal/app/media/planar"

// memory returns how many bytes it takes to decode a picture and make its renditions. It
// may stop counting beyond the memory budget.
func memory(s source, f format, h header) (int64, error) {
	n, err := f.memory(s, h)
	if s.planes {
		return pyramidMemory(f, h, n), err
	}
	beside, after := rendering(h, s.side())
	return max(n+beside, after), err
}

// rendering returns how many bytes it takes to make the renditions of a picture, the
// largest of which has a size.
//
// While the whole picture is in memory, a planar picture needs the buffers for scaling; any
// other is reduced strip by strip to the means of pixel blocks, at most twice the size of
// the largest rendition. Afterwards memory holds those means, converted to planes as well,
// the buffers for scaling them, and the renditions twice over: as JPEGs, and on the way to
// the smaller ones.
func rendering(h header, size int) (beside, after int64) {
	block := max(1, max(h.width, h.height)/size)
	bw, bh := min(block, h.width), min(block, h.height)
	w, hh := h.width/bw, h.height/bh
	area := int64(w) * int64(hh)
	means := 4*area + deepBytes(h, area) + 4*int64(w)*int64(bw)*int64(bh) + 24*int64(w)
	beside = max(planar.Cost(h.width, h.height, size), means)
	return beside, 7*area + planar.Cost(w, hh, size) + 3*min(area, int64(size)*int64(size))
}

// deepBytes returns how many bytes the block means of a picture take as 16-bit numbers,
// including their conversion to planes.
func deepBytes(h header, area int64) int64 {
	if !h.deep {
		return 0
	}
	return 14*area + 1<<20
}
