package media

import (
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// CaptureDates returns the capture dates recorded in a file's technical data, as decoded from JSON.
// For video and audio it contains only the zone, which is applied to at, their capture time, unless
// that was edited.
func CaptureDates(technical map[string]any, at time.Time, edited bool) (list []dam.CaptureTime) {
	add := func(c *dam.CaptureTime) {
		if c != nil {
			list = append(list, *c)
		}
	}
	c := newCollector()
	for name, to := range map[string]tags{"exif": c.exif, "iptc": c.iptc, "xmp": c.xmp, "gps": c.gps} {
		recall(to, technical[name])
	}
	add(c.captured())
	c = newCollector()
	recall(c.xmp, technical["sidecar"])
	add(c.captured())
	for _, kind := range []string{"video", "audio"} {
		facts := tags{}
		recall(facts, technical[kind])
		if zone, err := time.Parse("-07:00", facts.text("date_time_zone")); err == nil && !edited {
			minutes, _ := dam.OffsetOf(zone)
			add(capturedAt(dam.AtOffset(at, minutes)))
		}
	}
	facts := tags{}
	recall(facts, technical["document"])
	if t, _, ok := xmpTime(facts.text("created")); ok {
		add(capturedAt(t))
	}
	return list
}

// recall restores the tags of a namespace.
func recall(to tags, namespace any) {
	m, _ := namespace.(map[string]any)
	for name, v := range m {
		if items, ok := v.([]any); ok {
			texts := make([]string, 0, len(items))
			for _, item := range items {
				if s, ok := item.(string); ok {
					texts = append(texts, s)
				}
			}
			v = texts
		}
		to[name] = v
	}
}
