package magick

import "testing"

func FuzzLeaveLargest(f *testing.F) {
	f.Add([]byte("\x00\x00\x01\x00\x02\x00" + "\x10\x10\x00\x00\x01\x00\x20\x00\x10\x00\x00\x00\x26\x00\x00\x00" +
		"\x00\x00\x00\x00\x01\x00\x20\x00\x10\x00\x00\x00\x36\x00\x00\x00"))
	f.Add([]byte("\x00\x00\x01\x00\xff\xff\x10"))
	f.Fuzz(func(t *testing.T, icon []byte) {
		largest := 0
		for at := 6; len(icon) >= 22 && at+16 <= len(icon) && at < 6+16*(int(icon[4])|int(icon[5])<<8); at += 16 {
			largest = max(largest, int(icon[at]-1)) // 0 means 256
		}
		square := true
		for at := 6; at+16 <= len(icon); at += 16 {
			square = square && icon[at] == icon[at+1]
		}
		size := len(icon)
		leaveLargest(icon)
		if len(icon) != size || size >= 22 && (icon[4] != 1 || icon[5] != 0) {
			t.Fatalf("%x", icon)
		}
		if size >= 22 && square && largest > int(icon[6]-1) {
			t.Errorf("%d is left, %d is there", icon[6], largest+1)
		}
	})
}
