package web_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Files of users, batches and shares are processed in turns, however many one of them has,
// and guest uploads never take all workers.
func TestFairIngestion(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	eve, bob := s.user(t, "eve@example.com", dam.RoleEditor), s.user(t, "bob@example.com", dam.RoleEditor)
	_, page := s.handIn(t, "")
	s.stop() // stops processing

	texts := func(name string, n int) (files []upload) {
		for i := range n {
			files = append(files, upload{fmt.Sprintf("%s %d.txt", name, i), fmt.Appendf(nil, "%s %d", name, i)})
		}
		return files
	}
	fill := func(token string, files []upload) {
		t.Helper()
		admin := s.token
		s.token = token
		defer func() { s.token = admin }()
		s.push(t, s.batch(t, `{}`), files...).want(t, 201)
	}
	g := s.guest(t)
	g.opens(t, page)
	for _, f := range texts("guest", 10) {
		g.hands(t, page, f.name, f.data)
	}
	fill(eve, texts("many", 30))
	fill(eve, texts("few", 2))
	fill(bob, texts("bob", 3))

	claim := func(share storage.FairShare) (j *dam.Job, name string) {
		t.Helper()
		err := s.store(t).Update(t.Context(), func(tx *storage.Tx) (err error) {
			if j, err = tx.ClaimFile(share, time.Minute); err != nil || j == nil {
				return err
			}
			f, err := tx.BatchFile(j.Subject)
			if err == nil {
				name, _, _ = strings.Cut(f.Filename, " ")
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return j, name
	}
	var order []string
	free := storage.FairShare{Owner: 100, Guests: 100}
	var held []*dam.Job
	for range 45 {
		j, name := claim(free)
		if j == nil {
			t.Fatalf("nothing after %v", order)
		}
		order, held = append(order, name), append(held, j)
	}
	if j, name := claim(free); j != nil {
		t.Errorf("%s was read twice", name)
	}
	for _, c := range []struct {
		name string
		last int // position of the last file
	}{{"bob", 9}, {"few", 12}, {"guest", 29}} {
		last := 0
		for i, name := range order {
			if name == c.name {
				last = i + 1
			}
		}
		if last == 0 || last > c.last {
			t.Errorf("the last file of %s is number %d, want at most %d: %v", c.name, last, c.last, order)
		}
	}

	// All jobs wait again, and two workers are taken.
	if err := s.store(t).Update(t.Context(), func(tx *storage.Tx) error {
		for _, j := range held {
			if err := tx.RetryJob(j, tx.Now(), "again", true); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for range 5 {
		_, name := claim(storage.FairShare{Owner: 2, Guests: 1})
		count[name]++
	}
	if count["guest"] != 1 || count["bob"] != 2 || count["many"]+count["few"] != 2 {
		t.Errorf("of five files in hand these have %v", count)
	}
	// If nobody else waits, users exceed their share, but guests do not.
	var more []string
	for range 32 {
		_, name := claim(storage.FairShare{Owner: 2, Guests: 1})
		more = append(more, name)
	}
	if slices.Contains(more[:31], "guest") || slices.Contains(more[:31], "") || more[31] != "" {
		t.Errorf("then these were read: %v", more)
	}
}
