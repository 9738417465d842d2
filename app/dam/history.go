package dam

import "time"

// HistoryEntry is a change of an asset with its time and author.
type HistoryEntry struct {
	ID          int64     // 0 for the creation
	Type        EventType // AssetCreated, AssetUpdated, AssetDeleted or AssetRestored
	Version     int64     // of the asset after the change
	At          time.Time
	UserID      int64  // 0 if unknown
	TokenName   string // "" if not by a token
	OperationID int64  // 0 if not by an operation
	Changes     []HistoryChange
}

// HistoryChange is the change of one field. The values are in JSON form: times as strings,
// null for none.
type HistoryChange struct {
	Field     string `json:"field"`
	From      any    `json:"from"`
	To        any    `json:"to"`
	Shortened bool   `json:"shortened,omitempty"` // the values were truncated
}

// The limits of a change in the history.
const (
	maxHistoryText  = 1000     // characters of a text
	maxHistoryItems = 100      // of a list
	maxHistoryValue = 8 << 10  // bytes of a list, as JSON
	maxHistoryBytes = 64 << 10 // of all values of an entry; beyond it only the field names are recorded
)

// HistoryOf returns the difference between before and after in the form of the history.
func HistoryOf(before, after *Asset) []HistoryChange {
	list := []HistoryChange{}
	left := maxHistoryBytes
	for _, d := range DiffAssets(before, after) {
		c := HistoryChange{Field: d.Field}
		var cutFrom, cutTo bool
		c.From, cutFrom = kept(d.From)
		c.To, cutTo = kept(d.To)
		c.Shortened = cutFrom || cutTo
		if left -= JSONAtMost(c.From) + JSONAtMost(c.To); left < 0 {
			c.From, c.To, c.Shortened = nil, nil, true
		}
		list = append(list, c)
	}
	return list
}

// kept returns the form of a value in the history and whether it was truncated.
func kept(v any) (to any, short bool) {
	switch v := v.(type) {
	case nil, bool, float64, int64:
		return v, false
	case *time.Time:
		return v.UTC().Format("2006-01-02T15:04:05.000Z"), false
	case *Location:
		place, short := kept(v.Place)
		if v.Place == "" {
			place = nil
		}
		return map[string]any{"latitude": v.Latitude, "longitude": v.Longitude, "place": place}, short
	case *FocalPoint:
		return map[string]any{"x": v.X, "y": v.Y}, false
	case string:
		cutText := cut(v, maxHistoryText)
		return cutText, len(cutText) < len(v)
	case []string:
		return keptItems(v)
	case []any:
		return keptItems(v)
	case WorkflowStatus:
		return string(v), false
	case *int64:
		return *v, false
	}
	return nil, true // fields have no other types
}

func keptItems[T any](items []T) (list []any, short bool) {
	size := 0
	for i, item := range items {
		v, cutItem := kept(item)
		if size += JSONAtMost(v); i == maxHistoryItems || size > maxHistoryValue && i > 0 {
			return list, true
		}
		list, short = append(list, v), short || cutItem
	}
	return list, short
}
