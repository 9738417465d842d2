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

// Cues are read with their content unchanged, and everything else is ignored.
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
		"", "WEBVT", "WEBVTTX\n", "1\n00:01.000 --> 00:02.000\na", "some text", "WEBVTT\n\n\xff", "WEBVTT\n" + strings.Repeat("\n", vtt.MaxSize),
		"WEBVTT\n\n" + strings.Repeat("00:01.000 --> 00:02.000\na\n\n", 60_000),
	} {
		if cues, err := vtt.Read(strings.NewReader(bad)); !errors.Is(err, vtt.ErrNotVTT) {
			t.Errorf("%.20q: %d cues, %v", bad, len(cues), err)
		}
	}
}

// SubRip and SubStation Alpha are converted to WebVTT.
func TestReadOthers(t *testing.T) {
	t.Parallel()
	const srt = "1\r\n00:00:01,000 --> 00:00:02,500 X1:1 Y1:2\r\n<i>Boats</i> & <font color=\"red\">ships</font>\r\n{\\an8}again\r\n\r\n" +
		"2\r\n0:00:03.5 --> 01:02:03,004\r\nlast\r\n"
	const ass = "[Script Info]\nTitle: secret\n\n[V4+ Styles]\nFormat: Name, Fontname\nStyle: Default,Arial\n\n[Events]\n" +
		"Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n" +
		"Comment: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,secret\n" +
		"Dialogue: 0,0:00:01.00,0:00:02.50,Default,,0,0,0,,{\\i1}Boats{\\i0}, ships & <sea>\\Nagain\n" +
		"Dialogue: 0,x,0:00:02.50,Default,,0,0,0,,odd\nDialogue: short\n"
	const ssa = "[Script Info]\n[Events]\nFormat: Marked, Start, End, Text\nDialogue: Marked=0,0:00:01.00,0:00:02.00,a, b\n"
	for text, want := range map[string][]vtt.Cue{
		srt: {
			{From: time.Second, To: 2500 * time.Millisecond, Text: "<i>Boats</i> & ships\nagain"},
			{From: 3500 * time.Millisecond, To: time.Hour + 2*time.Minute + 3*time.Second + 4*time.Millisecond, Text: "last"},
		},
		ass: {{From: time.Second, To: 2500 * time.Millisecond, Text: "Boats, ships &amp; &lt;sea&gt;\nagain"}},
		ssa: {{From: time.Second, To: 2 * time.Second, Text: "a, b"}},
	} {
		if cues, err := vtt.Read(strings.NewReader("\ufeff" + text)); err != nil || !reflect.DeepEqual(cues, want) {
			t.Errorf("%.20q: %+v, %v", text, cues, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(sample)
	f.Add("WEBVTT\n\n00:01.000 --> 00:02.000\n<c.x>a&amp;b\n-->\n")
	f.Add("1\n00:00:01,000 --> 00:00:02,5\n<font>a</font>{\\an8}\n")
	f.Add("[Script Info]\nFormat: Start, End, Text\nDialogue: 0:00:01.00,0:00:02.00,a\\Nb")
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
