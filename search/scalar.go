package search

import "math"

// scalar is a field whose values are integers.
type scalar int

const (
	created scalar = iota
	updated
	capture // the instant
	captureLocal
	usageFrom
	usageUntil
	width
	height
	pages
	size
	duration // in milliseconds
	rating
	class
	batch
	scalars // number of scalars
)

// scalarOf returns the scalar for the name of a field in rules and facets.
func scalarOf(field string) (s scalar, ok bool) {
	s, ok = map[string]scalar{
		"created_at": created, "updated_at": updated, "capture_date": capture, "usage_from": usageFrom, "usage_until": usageUntil,
		"width": width, "height": height, "page_count": pages, "file_size": size, "duration": duration, "rating": rating,
		"asset_class_id": class, "ingestion_batch_id": batch,
	}[field]
	return s, ok
}

// none returns the value for unknown. Every file has a size, which may be 0.
func (s scalar) none() int64 {
	switch {
	case s <= usageUntil:
		return noTime
	case s == rating || s == size:
		return -1
	}
	return 0
}

// numberOf returns a function that reads a numeric field of an asset, as visible to a
// user with access to some batches, and whether it has a value.
func (c *columns) numberOf(field string, b *Batches) func(id uint32) (float64, bool) {
	s, ok := scalarOf(field)
	if of := sizeOf(field); of != nil {
		w, h := c.numbers[width], c.numbers[height]
		return func(id uint32) (float64, bool) { return of(float64(w[id]), float64(h[id])), w[id] > 0 && h[id] > 0 }
	}
	if !ok {
		coordinates := c.latitude
		if field == "location.longitude" {
			coordinates = c.longitude
		}
		return func(id uint32) (float64, bool) { return coordinates[id], !math.IsNaN(coordinates[id]) }
	}
	numbers, none := c.numbers[s], s.none()
	switch s {
	case duration:
		return func(id uint32) (float64, bool) { return float64(numbers[id]) / 1000, numbers[id] != none }
	case batch:
		return func(id uint32) (float64, bool) {
			return float64(numbers[id]), numbers[id] != none && b.has(numbers[id])
		}
	}
	return func(id uint32) (float64, bool) { return float64(numbers[id]), numbers[id] != none }
}

// sizeOf returns how to compute a field from the size of an image in pixels, nil for
// other fields. The results are rounded the way people write them: 1.78 for 16:9, 24.2
// megapixels.
func sizeOf(field string) func(w, h float64) float64 {
	switch field {
	case "aspect_ratio":
		return func(w, h float64) float64 { return math.Round(w/h*100) / 100 }
	case "megapixels":
		return func(w, h float64) float64 { return math.Round(w*h/1e5) / 10 }
	}
	return nil
}

// dates returns the times of a date field, noTime for none: as instants, and as the local
// times that are used for sorting and for comparing with days.
func (c *columns) dates(field string) (instants, days []int64) {
	s, _ := scalarOf(field)
	if s == capture {
		return c.numbers[capture], c.numbers[captureLocal]
	}
	return c.numbers[s], c.numbers[s]
}
