package media

import "github.com/digital-asset-library/dal/app/dam"

// memory returns how many bytes it takes to decode a picture and to make its
// renditions. It may stop counting beyond the memory budget.
func memory(s source, f format, h header) (int64, error) {
	n, err := f.memory(s, h)
	beside, after := rendering(h)
	return max(n+beside, after), err
}

// rendering returns how many bytes it takes to make the renditions of a picture:
// beside the whole picture, the means of blocks of its pixels, for all pixels of
// up to twice the size of the largest rendition, out of one strip of it at a time;
// and after that those means and what golang.org/x/image/draw has on the way to
// that rendition, four floats for each pixel of as many columns as it has.
func rendering(h header) (beside, after int64) {
	size := dam.LargestRendition()
	block := max(1, max(h.width, h.height)/size)
	bw, bh := min(block, h.width), min(block, h.height)
	w, hh := int64(h.width/bw), int64(h.height/bh)
	beside = 4*w*hh + 4*w*int64(bw)*int64(bh) + 24*w
	if long := max(w, hh); long > int64(size) {
		ow, oh := w*int64(size)/long+1, hh*int64(size)/long+1
		after = 4*w*hh + 32*ow*hh + 4*ow*oh
	}
	return beside, after
}
