package tiff

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"golang.org/x/image/ccitt"
)

// faxRows reads a one-dimensional Group 3 fax row by row, because package ccitt does not
// expect the fill bits that may precede the end-of-line code (ITU T.4, section 4.1).
type faxRows struct {
	r     *bufio.Reader
	width int
	acc   byte
	have  int // number of bits in acc
	row   []byte
	out   []byte
}

func (f *faxRows) Read(b []byte) (int, error) {
	if len(f.out) == 0 {
		if err := f.next(); err != nil {
			return 0, err
		}
	}
	n := copy(b, f.out)
	f.out = f.out[n:]
	return n, nil
}

// next decodes a row, with white as 0.
func (f *faxRows) next() error {
	codes, err := f.codes()
	if err != nil {
		return err
	}
	r := ccitt.NewReader(bytes.NewReader(codes), ccitt.MSB, ccitt.Group3, f.width, 1, &ccitt.Options{Invert: true})
	if f.row == nil {
		f.row = make([]byte, (f.width+7)/8)
	}
	f.out = f.row
	_, err = io.ReadFull(r, f.out)
	return err
}

// codes returns the codes of a row after an end-of-line code, without fill bits: no code
// contains as many zeros. It returns io.EOF after the last row.
func (f *faxRows) codes() ([]byte, error) {
	out, n := []byte{0, 0x10}, 12 // the end-of-line code
	zeros, isEmpty := 0, true
	for {
		bit, err := f.bit()
		switch {
		case errors.Is(err, io.EOF) && !isEmpty:
			return out, nil
		case err != nil:
			return nil, err
		case bit == 1 && zeros >= 11: // the next end-of-line code
			if !isEmpty {
				return out, nil
			}
			out, n, zeros = out[:2], 12, 0
			out[1] = 0x10
			continue
		case bit == 1:
			zeros, isEmpty = 0, false
		default:
			if zeros++; zeros > 12 {
				continue
			}
		}
		if n > 32*f.width+1000 {
			return nil, FormatError("a row has too many codes")
		}
		if n%8 == 0 {
			out = append(out, 0)
		}
		out[n/8] |= bit << (7 - n%8)
		n++
	}
}

func (f *faxRows) bit() (byte, error) {
	if f.have == 0 {
		var err error
		if f.acc, err = f.r.ReadByte(); err != nil {
			return 0, err
		}
		f.have = 8
	}
	f.have--
	return f.acc >> f.have & 1, nil
}
