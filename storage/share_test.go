package storage_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Repeated visits without cookies displace neither guests that passed a check, left
// feedback or uploaded files, nor their entries in the access log.
func TestTrimShare(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "dal.db"))
	var share, visits int64
	visit := func(tx *storage.Tx, change func(*dam.ShareVisit)) *dam.ShareVisit {
		visits++
		v := &dam.ShareVisit{ShareID: share, Hash: fmt.Appendf(nil, "%032d", visits), ExpiresAt: tx.Now().Add(time.Hour)}
		change(v)
		must(t, tx.PutShareVisit(v))
		must(t, tx.InsertShareEntry(&dam.ShareEntry{ShareID: share, Action: dam.ShareViewed}))
		return v
	}
	plain := func(*dam.ShareVisit) {}
	kept := map[string]*dam.ShareVisit{}
	must(t, s.Update(t.Context(), func(tx *storage.Tx) error {
		u := &dam.User{Name: "Ada", Email: "ada@example.com", Role: dam.RoleAdmin}
		must(t, tx.InsertUser(u))
		of := &dam.Share{Token: "token", Type: dam.ShareReview, Name: "S", CreatedByID: u.ID}
		must(t, tx.InsertShare(of, make([]byte, 32), nil))
		share = of.ID
		kept["passed"] = visit(tx, func(v *dam.ShareVisit) { v.Email = "bo@example.com" })
		kept["said something"] = visit(tx, plain)
		must(t, tx.PutShareGuest(share, kept["said something"].ID, &dam.ShareGuest{}))
		kept["handed in"] = visit(tx, plain)
		b := &dam.Batch{CreatedByID: u.ID, ShareID: share, VisitID: kept["handed in"].ID}
		must(t, tx.InsertBatch(b))
		must(t, tx.InsertBatchFile(&dam.BatchFile{BatchID: b.ID, Filename: "a.jpg", Status: dam.FileQueued}))
		must(t, tx.InsertShareEntry(&dam.ShareEntry{ShareID: share, Action: dam.ShareUploaded, Email: "bo@example.com"}))
		for range 20 {
			visit(tx, plain)
		}
		must(t, tx.TrimShareLog(share, dam.ShareViewed, 3))
		must(t, tx.TrimShareVisits(share, 3))
		return nil
	}))
	must(t, s.View(t.Context(), func(tx *storage.Tx) error {
		for what, v := range kept {
			if _, err := tx.ShareVisit(share, v.Hash); err != nil {
				t.Errorf("a guest who has %s: %v", what, err)
			}
		}
		list, total, err := tx.ShareEntries(share, dam.Page{Limit: 100})
		if total != 4 || list[3].Action != dam.ShareUploaded {
			t.Errorf("%d entries, the first %+v", total, list[len(list)-1])
		}
		return err
	}))
}
