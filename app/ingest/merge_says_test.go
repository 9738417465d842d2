package ingest

import (
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// A capture time recorded without its offset by an older version equals the asset's capture
// time.
func TestSameCaptureTime(t *testing.T) {
	t.Parallel()
	at := time.Date(2024, 1, 1, 6, 0, 0, 0, time.UTC)
	la, utc := &dam.CaptureTime{Time: dam.AtOffset(at, -480)}, &dam.CaptureTime{Time: at}
	for i, tt := range []struct {
		have, old *dam.CaptureTime
		want      bool
	}{
		{la, la, true}, {utc, utc, true}, {la, utc, true}, {utc, la, false}, {nil, nil, true}, {nil, la, false}, {la, nil, false},
		{la, &dam.CaptureTime{Time: dam.AtOffset(at, 60)}, false}, {la, &dam.CaptureTime{Time: at.Add(time.Second)}, false},
	} {
		if got := same(tt.have, tt.old); got != tt.want {
			t.Errorf("%d: %v", i, got)
		}
	}
}
