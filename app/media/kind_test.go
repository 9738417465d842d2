package media_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/media"
)

// The errors for unsupported files use their common names.
func TestForeignFiles(t *testing.T) {
	t.Parallel()
	const any = " Its administrator can have it accept any file: --reject without unknown."
	const takes = " The library takes JPEG, PNG, GIF, WebP, TIFF, BMP and other files; its guide lists them." + any
	for _, tt := range []struct{ name, data, message string }{
		{"setup.exe", "MZ\x90\x00\x03\x00\x00\x00", "This is a Windows program." + takes},
		{"holiday.jpg", "MZ\x90\x00\x03\x00\x00\x00", "This is a Windows program, not a JPEG picture."},
		{"ls", "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 60), "This is a Linux program." + takes},
		{"photos.jpg", "PK\x03\x04aaaaaaaaaaaaaaaaaaaaaaaa",
			"The file is named .jpg, but it is a ZIP archive. If it should be one, rename it to .zip."},
		{"program.jar", "PK\x03\x04aaaaaaaaaaaaaaaaaaaaaaaa", "The file is named .jar, which computers or browsers may run, " +
			"but it is a ZIP archive. If it should be one, rename it to .zip."},
		{"disk.cab", "MSCF\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", "This is a CAB archive." + takes},
		{"tool.deb", "!<arch>\ndebian-binary   ", "This is a Debian package." + takes},
		{"page.jpg", "<html><script>alert(1)</script></html>",
			"The file is named .jpg, but it is a web page. If it should be one, rename it to .html."},
		{"feed.xml", `<?xml version="1.0"?><feed/>`, "This is an XML file." + takes},
		{"notes", "plain text", "This is a text file." + takes},
		{"notes.txt", "\x00\x01\x02\xfe\xfd\xfc and nothing known", "This is not a plain text, or its beginning is damaged."},
		{"letter", string(lockedOffice()), "This is an Office file that is protected with a password, so the library cannot read it."},
		{"notes.jpg", "plain text", "This is a text file, not a JPEG picture."},
		{"run.sh", "#!/bin/sh\necho hi\n", "This is a script." + takes},
		{"song.webp", "RIFF\x00\x00\x00\x00WAVEfmt aaaaaaaaaaaa",
			"The file is named .webp, but it is a WAV audio file. If it should be one, rename it to .wav."},
		{"song.mid", "MThd\x00\x00\x00\x06\x00\x01\x00\x01\x00\x60MTrk", "This is a MIDI file." + takes},
		{"raw.mp4", "\x00\x00\x00\x18ftypcrx \x00\x00\x00\x01crx isom" + strings.Repeat("\x00", 20),
			"The file is named .mp4, but it is a CR3 picture. If it should be one, rename it to .cr3."},
		{"text.bmp", "BM is how this text begins, which is not a picture", "This is not a BMP picture, or its beginning is damaged."},
		{"noise.jpg", "\x00\x01\x02\xfe\xfd\xfc and nothing known", "This is not a JPEG picture, or its beginning is damaged."},
		{"noise", "\x00\x01\x02\xfe\xfd\xfc and nothing known",
			"The library does not know this type of file. It takes JPEG, PNG, GIF, WebP, TIFF, BMP and other files; its guide lists them." + any},
	} {
		_, err := extract([]byte(tt.data), tt.name)
		wantFault(t, tt.name, err, dam.CodeUnsupportedFormat, tt.message)
	}
}

// lockedOffice returns the beginning of an encrypted Office file.
func lockedOffice() []byte {
	return []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 22) + "\x09\x00" + strings.Repeat("\x00", 480) +
		strings.Repeat("\x00", 128) + strings.Join(strings.Split("EncryptedPackage", ""), "\x00") + strings.Repeat("\x00", 400))
}

// A file whose name claims another type than its content is rejected, and the error
// explains how to fix it.
func TestNamesThatMislead(t *testing.T) {
	t.Parallel()
	pic := jpegOf(t, plain(8, 8, red))
	p := media.New(media.DefaultLimits())
	for name, message := range map[string]string{
		"a.svgz": "The file is named .svgz, which computers or browsers may run, but it is a JPEG picture. " +
			"If it should be one, rename it to .jpg.",
		"a.PDF": "The file is named .pdf, but it is a JPEG picture. If it should be one, rename it to .jpg.",
		"a.exe": "The file is named .exe, which computers or browsers may run, but it is a JPEG picture. " +
			"If it should be one, rename it to .jpg.",
	} {
		_, err := p.Check(t.Context(), bytes.NewReader(pic), int64(len(pic)), name)
		wantFault(t, name, err, dam.CodeUnsupportedFormat, message)
	}
}
