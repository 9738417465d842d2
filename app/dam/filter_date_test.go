package dam_test

import (
	"testing"
	"time"
	_ "time/tzdata" // the zones of this test, on any machine

	"github.com/digital-asset-library/dal/app/dam"
)

// today is the day in the time zone of the clock: its instants for fields with instants,
// its name for local times and for dates without a time zone. now does not depend on it.
func TestRelativeDay(t *testing.T) {
	t.Parallel()
	const layout = "2006-01-02T15:04Z"
	instants := []string{"asset.created_at", "asset.updated_at", "asset.deleted_at", "asset.usage_from", "asset.usage_until", "metadata.at"}
	days := []string{"asset.capture_date", "metadata.on"}
	for _, c := range []struct {
		zone, now, value string
		fields           []string
		from, to         string
	}{
		{"UTC", "2026-07-01T23:30Z", "today", instants, "2026-07-01T00:00Z", "2026-07-02T00:00Z"},
		{"Europe/Berlin", "2026-07-01T23:30Z", "today", instants, "2026-07-01T22:00Z", "2026-07-02T22:00Z"},
		{"Europe/Berlin", "2026-07-01T23:30Z", "today", days, "2026-07-02T00:00Z", "2026-07-03T00:00Z"},
		{"Europe/Berlin", "2026-07-01T21:30Z", "today", days, "2026-07-01T00:00Z", "2026-07-02T00:00Z"},
		{"Europe/Berlin", "2026-07-01T23:30Z", "today-1d", days, "2026-07-01T00:00Z", "2026-07-02T00:00Z"},
		{"Europe/Berlin", "2026-03-28T12:00Z", "today+1d", instants, "2026-03-28T23:00Z", "2026-03-29T22:00Z"}, // 23 hours
		{"Europe/Berlin", "2026-10-24T12:00Z", "today+1d", instants, "2026-10-24T22:00Z", "2026-10-25T23:00Z"}, // 25 hours
		{"Pacific/Auckland", "2026-01-31T11:30Z", "today", instants, "2026-01-31T11:00Z", "2026-02-01T11:00Z"},
		{"Pacific/Auckland", "2026-01-31T11:30Z", "today", days, "2026-02-01T00:00Z", "2026-02-02T00:00Z"},
		{"America/Los_Angeles", "2026-01-01T07:30Z", "today", days, "2025-12-31T00:00Z", "2026-01-01T00:00Z"},
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		now, err := time.Parse(layout, c.now)
		if err != nil {
			t.Fatal(err)
		}
		schema := dam.NewSchema(1, []*dam.Field{
			{Key: "at", Label: "At", Type: dam.FieldDatetime, IsFilterable: true},
			{Key: "on", Label: "On", Type: dam.FieldDate, IsFilterable: true},
		}, nil)
		schema.Now = func() time.Time { return now.In(zone) }
		for _, field := range c.fields {
			f, err := dam.ParseFilter(rule(field, "equals", `"`+c.value+`"`), schema)
			if err != nil {
				t.Fatal(err)
			}
			d := f.Value.Dates[0]
			from, to := time.UnixMilli(d.From).UTC().Format(layout), time.UnixMilli(d.To).UTC().Format(layout)
			if from != c.from || to != c.to {
				t.Errorf("%s is %s in %s at %s: from %s to %s", field, c.value, c.zone, c.now, from, to)
			}
		}
		f, err := dam.ParseFilter(rule("asset.created_at", "equals", `"now+1d"`), schema)
		if err != nil || f.Value.Dates[0].From != now.Add(24*time.Hour).UnixMilli() {
			t.Errorf("in %s, now+1d is %v, %v", c.zone, f, err)
		}
	}
}
