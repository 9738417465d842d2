package search_test

import (
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// Photos belong to the day at the place where they were taken: rules about days, the sort
// order and the months of an outline use it. Rules about instants use the instant.
func TestCaptureLocalTime(t *testing.T) {
	t.Parallel()
	clocks := []struct{ local, offset string }{
		1: {"2023-12-31T22:00:00", "-08:00"}, // 2024-01-01T06:00:00Z
		2: {"2024-01-01T01:00:00", "+05:45"}, // 2023-12-31T19:15:00Z
		3: {"2023-12-31T23:30:00", "+00:00"},
		4: {"2023-12-31T23:59:59.999", ""},
		5: {"2024-01-01T00:00:00", "+14:00"}, // 2023-12-31T10:00:00Z
		6: {"2023-12-31T00:00:00", "-12:00"}, // 2023-12-31T12:00:00Z
		7: {"2024-01-01T00:00:00", ""},
	}
	e := build(t, 8, func(a *dam.Asset) {
		if a.ID >= int64(len(clocks)) {
			return // no date
		}
		c := clocks[a.ID]
		layout := "2006-01-02T15:04:05Z07:00"
		if c.offset == "" {
			layout = "2006-01-02T15:04:05"
		}
		at, err := time.Parse(layout, c.local+c.offset)
		if err != nil {
			t.Fatal(err)
		}
		taken := dam.CaptureAt(at)
		a.CaptureDate = &taken
	})
	finds(t, e, 8, "asset.capture_date", [][3]string{
		{"between", "1 3 4 6", `["2023-01-01","2023-12-31"]`},
		{"equals", "1 3 4 6", `"2023-12-31"`},
		{"equals", "2 5 7", `"2024-01-01"`},
		{"greater_than", "2 5 7", `"2023-12-31"`},
		{"less_than", "1 3 4 6", `"2024-01-01"`},
		{"in", "2 5 7", `["2024-01-01","2024-01-02"]`},
		{"greater_than_or_equal", "1 7", `"2024-01-01T00:00:00Z"`},
		{"less_than", "2 3 4 5 6", `"2024-01-01T00:00:00Z"`},
		{"equals", "1", `"2023-12-31T22:00:00-08:00"`},
		{"equals", "1", `"2024-01-01T06:00:00Z"`},
		{"between", "1 3 4", `["2023-12-31T15:00:00-08:00","2023-12-31"]`},
		{"is_empty", "8", ""},
	})
	if got, want := ids(find(t, e, dam.Query{Sort: dam.SortCaptureDate, Page: dam.Page{Limit: 8}})), "8 6 1 3 4 5 7 2"; got != want {
		t.Errorf("sorted: %s, want %s", got, want)
	}
}
