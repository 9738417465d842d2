package ingest

import "testing"

func TestIsPartial(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"a.jpg.part": true, "a.jpg.PART": true, "a.mp4.part-Frag12": true, "a.mp4.ytdl": true, "Unconfirmed 12.crdownload": true,
		"a.jpg.opdownload": true, "a.jpg.download": true, "a.jpg.partial": true, "a.jpg.1a2b3c4d.partial": true, "a.jpg.filepart": true,
		"a.jpg.!ut": true, "a.jpg.!qB": true, "a.jpg.bc!": true, "a.jpg.!sync": true, "a.jpg.fdmdownload": true, "a.jpg.aria2": true,
		"~syncthing~a.jpg.tmp": true, "a.jpg_exiftool_tmp": true, "a.tmp": true,
		"a.part.jpg": false, "part.jpg": false, "a.part1.rar": false, "download.jpg": false, "apart": false, "a.jpg_original": false,
		"a.template": false, "a.jpg": false, "crdownload": false, "a.jpg.parts": false,
	} {
		if got := IsPartial(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}
