package vtt_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/media/vtt"
)

const sample = "\ufeffWEBVTT - secret title\r\nX-AUTHOR: secret\r\n\r\nNOTE\r\nsecret note\r\n\r\n" +
	"STYLE\r\n::cue { background: url(https://secret) }\r\n\r\nREGION\r\nid:secret\r\n\r\n" +
	"1 secret name\r\n00:01.000 --> 00:02.500 align:start position:10%,line-left secret:x line:-1\r\n" +
	"<v Ada>Hello & <b>goodbye</b>\r\nagain\r\n\r\n" +
	"01:00:00.000 --> 100:00:00.000\ntoo late\n\n00:05.000 --> 00:04.000\nbackwards\n\n00:06.000 --> 00:07.000\n\n" +
	"101:02:03.004 --> 00:04\nodd\n\n00:08.000 --> 00:09.000\nlast"

// Cues come out as they went in, without anything around them.
func TestRead(t *testing.T) {
	t.Parallel()
	cues, err := vtt.Read(strings.NewReader(sample))
	want := []vtt.Cue{
		{From: time.Second, To: 2500 * time.Millisecond, Settings: "align:start position:10%,line-left line:-1",
			Text: "<v Ada>Hello & <b>goodbye</b>\nagain"},
		{From: 8 * time.Second, To: 9 * time.Second, Text: "last"},
	}
	if err != nil || !reflect.DeepEqual(cues, want) {
		t.Fatalf("%q, %v", cues, err)
	}
	if text := cues[0].Plain(); text != "Hello & goodbye again" {
		t.Error(text)
	}
	var b bytes.Buffer
	if err := vtt.Write(&b, cues); err != nil {
		t.Fatal(err)
	}
	const written = "WEBVTT\n\n00:00:01.000 --> 00:00:02.500 align:start position:10%,line-left line:-1\n" +
		"<v Ada>Hello & <b>goodbye</b>\nagain\n\n00:00:08.000 --> 00:00:09.000\nlast\n"
	if b.String() != written {
		t.Errorf("%q", b.String())
	}
	for _, bad := range []string{
		"", "WEBVT", "WEBVTTX\n", "1\n00:01.000 --> 00:02.000\na", "WEBVTT\n\n\xff", "WEBVTT\n" + strings.Repeat("\n", vtt.MaxSize),
		"WEBVTT\n\n" + strings.Repeat("00:01.000 --> 00:02.000\na\n\n", 60_000),
	} {
		if cues, err := vtt.Read(strings.NewReader(bad)); !errors.Is(err, vtt.ErrNotVTT) {
			t.Errorf("%.20q: %d cues, %v", bad, len(cues), err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(sample)
	f.Add("WEBVTT\n\n00:01.000 --> 00:02.000\n<c.x>a&amp;b\n-->\n")
	f.Add("WEBVTT\n00:01.000-->00:02.000 size:33.3%\na\rb")
	f.Fuzz(func(t *testing.T, text string) {
		cues, err := vtt.Read(strings.NewReader(text))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := vtt.Write(&b, cues); err != nil {
			t.Fatal(err)
		}
		again, err := vtt.Read(&b)
		if err != nil || len(again) != len(cues) || len(cues) > 0 && !reflect.DeepEqual(again, cues) {
			t.Errorf("%q is read as %q and then as %q, %v", text, cues, again, err)
		}
	})
}
