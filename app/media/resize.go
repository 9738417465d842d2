package media

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"

	xdraw "golang.org/x/image/draw"
)

// reduce returns an opaque copy of a picture, on white. If the picture is larger
// than size, the copy's longest side is at least size and less than twice that:
// each pixel is the mean of a block of pixels, a square unless the picture is
// thinner than one. It never holds a second full picture.
func reduce(img image.Image, size int) *image.RGBA {
	b := img.Bounds()
	f := max(1, max(b.Dx(), b.Dy())/size)
	bw, bh := min(f, b.Dx()), min(f, b.Dy())
	out := image.NewRGBA(image.Rect(0, 0, b.Dx()/bw, b.Dy()/bh))
	if y, ok := img.(*image.YCbCr); ok && bw == 1 && bh == 1 {
		draw.Draw(out, out.Rect, y, b.Min, draw.Src) // nothing to average
	} else if ok {
		reduceYCbCr(out, y, bw, bh)
	} else {
		reduceAny(out, img, bw, bh)
	}
	return out
}

// reduceYCbCr takes the means of each plane and then converts to RGB, which is
// several times faster than the other way around.
func reduceYCbCr(out *image.RGBA, img *image.YCbCr, bw, bh int) {
	b := img.Bounds()
	w, h := out.Rect.Dx(), out.Rect.Dy()
	fx, fy := 1, 1 // luma samples a chroma sample
	switch img.SubsampleRatio {
	case image.YCbCrSubsampleRatio422:
		fx = 2
	case image.YCbCrSubsampleRatio420:
		fx, fy = 2, 2
	case image.YCbCrSubsampleRatio440:
		fy = 2
	case image.YCbCrSubsampleRatio411:
		fx = 4
	case image.YCbCrSubsampleRatio410:
		fx, fy = 4, 2
	}
	luma, cb, cr := make([]uint32, w), make([]uint32, w), make([]uint32, w)
	cw, ch := (b.Dx()+fx-1)/fx, (b.Dy()+fy-1)/fy
	for oy := range h {
		clear(luma)
		for y := oy * bh; y < (oy+1)*bh; y++ {
			row := img.Y[y*img.YStride:]
			sumRow(luma, row[:w*bw], bw)
		}
		y0, y1 := oy*bh/fy, min(ch, max(oy*bh/fy+1, ((oy+1)*bh+fy-1)/fy))
		for ox := range w {
			x0, x1 := ox*bw/fx, min(cw, max(ox*bw/fx+1, ((ox+1)*bw+fx-1)/fx))
			var sb, sr uint32
			for y := y0; y < y1; y++ {
				for _, v := range img.Cb[y*img.CStride+x0 : y*img.CStride+x1] {
					sb += uint32(v)
				}
				for _, v := range img.Cr[y*img.CStride+x0 : y*img.CStride+x1] {
					sr += uint32(v)
				}
			}
			n := uint32((x1 - x0) * (y1 - y0))
			cb[ox], cr[ox] = (sb+n/2)/n, (sr+n/2)/n
		}
		n := uint32(bw * bh)
		row := out.Pix[oy*out.Stride:]
		for ox := range w {
			r, g, bl := color.YCbCrToRGB(uint8((luma[ox]+n/2)/n), uint8(cb[ox]), uint8(cr[ox]))
			p := row[4*ox : 4*ox+4 : 4*ox+4]
			p[0], p[1], p[2], p[3] = r, g, bl, 255
		}
	}
}

// sumRow adds f values of row to each sum.
func sumRow(sums []uint32, row []byte, f int) {
	for i := range sums {
		var s uint32
		for _, v := range row[i*f : i*f+f] {
			s += uint32(v)
		}
		sums[i] += s
	}
}

// reduceAny reduces a picture strip by strip; image/draw converts each.
func reduceAny(out *image.RGBA, img image.Image, bw, bh int) {
	b := img.Bounds()
	w, h := out.Rect.Dx(), out.Rect.Dy()
	strip := image.NewRGBA(image.Rect(0, 0, w*bw, bh))
	n := uint32(bw * bh)
	sums := make([]uint32, 3*w)
	for oy := range h {
		draw.Draw(strip, strip.Rect, img, image.Pt(b.Min.X, b.Min.Y+oy*bh), draw.Src)
		clear(sums)
		for y := range bh {
			row := strip.Pix[y*strip.Stride:]
			for ox := range w {
				s := sums[3*ox : 3*ox+3 : 3*ox+3]
				for p := row[4*ox*bw : 4*(ox+1)*bw]; len(p) >= 4; p = p[4:] {
					white := uint32(255 - p[3]) // colours are premultiplied
					s[0] += uint32(p[0]) + white
					s[1] += uint32(p[1]) + white
					s[2] += uint32(p[2]) + white
				}
			}
		}
		row := out.Pix[oy*out.Stride:]
		for ox := range w {
			p, s := row[4*ox:4*ox+4:4*ox+4], sums[3*ox:3*ox+3]
			p[0], p[1], p[2], p[3] = uint8((s[0]+n/2)/n), uint8((s[1]+n/2)/n), uint8((s[2]+n/2)/n), 255
		}
	}
}

// fit returns a picture whose longest side is at most size: pic itself if it is
// that small.
func fit(pic *image.RGBA, size int) *image.RGBA {
	w, h := pic.Rect.Dx(), pic.Rect.Dy()
	long := max(w, h)
	if long <= size {
		return pic
	}
	if long >= 2*size {
		pic = reduce(pic, size)
	}
	out := image.NewRGBA(image.Rect(0, 0, max(1, (w*size+long/2)/long), max(1, (h*size+long/2)/long)))
	xdraw.CatmullRom.Scale(out, out.Rect, pic, pic.Rect, xdraw.Src, nil)
	return out
}

// upright turns a picture as its EXIF orientation says. Source: EXIF 2.3, tag
// 274.
func upright(pic *image.RGBA, orientation int) *image.RGBA {
	if orientation < 2 || orientation > 8 {
		return pic
	}
	w, h := pic.Rect.Dx(), pic.Rect.Dy()
	ow, oh := w, h
	if turned(orientation) {
		ow, oh = h, w
	}
	out := image.NewRGBA(image.Rect(0, 0, ow, oh))
	for y := range oh {
		for x := range ow {
			sx, sy := x, y
			switch orientation {
			case 2:
				sx = w - 1 - x
			case 3:
				sx, sy = w-1-x, h-1-y
			case 4:
				sy = h - 1 - y
			case 5:
				sx, sy = y, x
			case 6:
				sx, sy = y, h-1-x
			case 7:
				sx, sy = w-1-y, h-1-x
			case 8:
				sx, sy = w-1-y, x
			}
			copy(out.Pix[out.PixOffset(x, y):][:4], pic.Pix[pic.PixOffset(sx, sy):][:4])
		}
	}
	return out
}

// turned reports whether an orientation swaps width and height.
func turned(orientation int) bool { return orientation >= 5 }

func encode(pic *image.RGBA, quality int) ([]byte, error) {
	var b bytes.Buffer
	err := jpeg.Encode(&b, pic, &jpeg.Options{Quality: quality})
	return b.Bytes(), err
}
