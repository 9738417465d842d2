package storage

import (
	"cmp"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/digital-asset-library/dal/app/dam"
)

// used counts how people used an asset or a share (views, plays and downloads) or a
// search text (searches, and those without results).
type used struct {
	key   string // GAID, share id or text
	asset int64  // row of the asset; 0 once it is deleted
	n     [3]int64
}

// Indexes into used.n.
const (
	views, plays, downloads = 0, 1, 2
	searches, emptySearches = 0, 1
)

func (u used) counts() dam.Counts {
	return dam.Counts{Views: u.n[views], Plays: u.n[plays], Downloads: u.n[downloads]}
}

func (u used) isNothing() bool { return u.n == [3]int64{} }

// share returns the id of the share, 0 if the key is not one.
func (u used) share() int64 {
	id, _ := strconv.ParseInt(u.key, 10, 64)
	return id
}

// tally adds up use by key.
type tally struct {
	all  []used
	rows []int32        // index into all plus one, by asset row; 0 for none
	keys map[string]int // index into all, for keys without an entry in rows
}

// tallyRows bounds tally.rows, which then takes at most 16 MB. Assets with higher row
// numbers are found by key.
const tallyRows = 4 << 20

// place returns the index of a key in all, adding it if necessary.
func (t *tally) place(key []byte, asset int64) int {
	if asset <= 0 || asset >= tallyRows {
		i, ok := t.keys[string(key)]
		if !ok {
			if t.keys == nil {
				t.keys = map[string]int{}
			}
			i = len(t.all)
			t.all = append(t.all, used{key: string(key), asset: asset})
			t.keys[t.all[i].key] = i
		}
		return i
	}
	if more := int(asset) + 1 - len(t.rows); more > 0 {
		t.rows = append(t.rows, make([]int32, more)...)
	}
	if t.rows[asset] == 0 {
		t.all = append(t.all, used{key: string(key), asset: asset})
		t.rows[asset] = int32(len(t.all))
	}
	return int(t.rows[asset]) - 1
}

// add adds to the counts of a key.
func (t *tally) add(key []byte, asset int64, n ...int64) {
	u := &t.all[t.place(key, asset)]
	for i := range n {
		u.n[i] += n[i]
	}
}

// join merges the two entries of a deleted asset: the one by row from days summed while
// it existed, and the one by GAID from days summed after its deletion.
func (t *tally) join() {
	if len(t.keys) == 0 || len(t.rows) == 0 {
		return
	}
	for i := range t.all {
		u := &t.all[i]
		gone, ok := t.keys[u.key]
		if !ok || gone == i {
			continue
		}
		for n := range u.n {
			u.n[n] += t.all[gone].n[n]
		}
		t.all[gone].n = [3]int64{}
	}
}

// bytes encodes a tally. Each entry is the length of its key, the key, the row of the
// asset and the three counts, with all numbers as varints.
func (t *tally) bytes() []byte {
	b := []byte{}
	for _, u := range t.all {
		b = binary.AppendUvarint(b, uint64(len(u.key)))
		b = append(b, u.key...)
		b = binary.AppendUvarint(b, uint64(u.asset))
		for _, n := range u.n {
			b = binary.AppendUvarint(b, uint64(n))
		}
	}
	return b
}

var errNoTally = errors.New("the sums of a day cannot be read")

// addBytes adds a tally that bytes has encoded.
func (t *tally) addBytes(b []byte) error {
	isWhole := true
	number := func() int64 {
		n, size := binary.Uvarint(b)
		isWhole = isWhole && size > 0
		b = b[max(size, 0):]
		return int64(n)
	}
	for len(b) > 0 {
		length := number()
		if length <= 0 || length > int64(len(b)) {
			return errNoTally
		}
		key := b[:length]
		b = b[length:]
		t.add(key, number(), number(), number(), number())
		if !isWhole {
			return errNoTally
		}
	}
	return nil
}

// before orders entries by the count at index first, then by the count at index next,
// both descending, then by key.
func before(first, next int) func(a, b used) int {
	return func(a, b used) int {
		return cmp.Or(cmp.Compare(b.n[first], a.n[first]), cmp.Compare(b.n[next], a.n[next]), cmp.Compare(a.key, b.key))
	}
}

// ranked returns the entries with any counts, in the order of before.
func (t *tally) ranked(first, next int) []used {
	all := slices.DeleteFunc(slices.Clone(t.all), used.isNothing)
	slices.SortFunc(all, before(first, next))
	return all
}

// top returns the first n entries of ranked.
func (t *tally) top(first, next, n int) []used {
	order, top := before(first, next), make([]used, 0, n+1)
	for _, u := range t.all {
		if u.isNothing() || len(top) == n && order(top[n-1], u) < 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(top, u, order)
		top = slices.Insert(top, at, u)
		top = top[:min(n, len(top))]
	}
	return top
}

// usage contains the use by people in a range of days.
type usage struct{ assets, shares, queries tally }

// usage adds up the use by people in a range of days, from the stored sums where a day
// has them and from the individual counts elsewhere.
func (tx *Tx) usage(days dam.Days) (u *usage, err error) {
	u = &usage{}
	next, missing := days.From, []int64{}
	skip := func(to dam.Day) {
		for ; next < to; next++ {
			missing = append(missing, int64(next))
		}
	}
	err = each(tx, func(r row) error {
		var day dam.Day
		var assets, shares, queries sql.RawBytes
		if err := r.Scan(&day, &assets, &shares, &queries); err != nil {
			return err
		}
		skip(day)
		next++
		if err := errors.Join(u.assets.addBytes(assets), u.shares.addBytes(shares), u.queries.addBytes(queries)); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrDamaged, day, err)
		}
		return nil
	}, `SELECT day, assets, shares, queries FROM analytics_sums WHERE day BETWEEN ? AND ? ORDER BY day`, days.From, days.To)
	if err != nil {
		return u, err
	}
	skip(days.To + 1)
	err = tx.addDays(u, missing)
	u.assets.join()
	return u, err
}

// addDays adds the individual counts of the given days.
func (tx *Tx) addDays(u *usage, days []int64) error {
	if len(days) == 0 {
		return nil
	}
	err := each(tx, func(r row) error {
		var gaid sql.RawBytes
		var asset, share, views, visits, plays, downloads, archived int64
		if err := r.Scan(&gaid, &asset, &share, &views, &visits, &plays, &downloads, &archived); err != nil {
			return err
		}
		if len(gaid) > 0 {
			u.assets.add(gaid, asset, views, plays, downloads+archived)
		}
		if share != 0 {
			u.shares.add(strconv.AppendInt(nil, share, 10), 0, visits, plays, downloads)
		}
		return nil
	}, `SELECT d.gaid, coalesce(a.id, 0), d.share_id, d.views, CASE WHEN d.channel = 'embed' THEN d.views ELSE d.visits END, d.plays,
			d.downloads, d.archived
		FROM json_each(?) j CROSS JOIN analytics_days d ON d.day = j.value AND d.bots = 0 LEFT JOIN assets a ON a.gaid = d.gaid`, ids(days))
	if err != nil {
		return err
	}
	return each(tx, func(r row) error {
		var text sql.RawBytes
		var searches, empty int64
		if err := r.Scan(&text, &searches, &empty); err != nil {
			return err
		}
		u.queries.add(text, 0, searches, empty)
		return nil
	}, `SELECT q.text, q.searches, q.empty_searches FROM json_each(?) j CROSS JOIN analytics_queries q ON q.day = j.value`, ids(days))
}

// UnsummedDay returns the first day before a given one that has no stored sums, starting
// at the oldest day with counts; ok is false if all days are summed.
func (tx *Tx) UnsummedDay(before dam.Day) (day dam.Day, ok bool, err error) {
	n, err := one[*int64](tx, "", `WITH RECURSIVE days (day) AS (
			SELECT min(coalesce((SELECT min(day) FROM analytics_days), ?1), coalesce((SELECT min(day) FROM analytics_queries), ?1))
			UNION ALL SELECT day + 1 FROM days WHERE day + 1 < ?1)
		SELECT min(day) FROM days WHERE day < ?1 AND day NOT IN (SELECT day FROM analytics_sums)`, before)
	if err != nil || n == nil {
		return 0, false, err
	}
	return dam.Day(*n), true, nil
}

// SumDay stores the sums of the use by people on a past day.
func (tx *Tx) SumDay(day dam.Day) error {
	u := &usage{}
	if err := tx.addDays(u, []int64{int64(day)}); err != nil {
		return err
	}
	_, err := tx.exec("", `INSERT OR REPLACE INTO analytics_sums (day, assets, shares, queries) VALUES (?,?,?,?)`,
		day, u.assets.bytes(), u.shares.bytes(), u.queries.bytes())
	return err
}
