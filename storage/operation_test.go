package storage_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Processed items are undone from the end, part by part, and the counters are correct at
// every step.
func TestUndoItems(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "dal.db"))
	op := &dam.Operation{Type: dam.OperationExport}
	update := func(fn func(tx *storage.Tx) error) {
		t.Helper()
		if err := s.Update(t.Context(), fn); err != nil {
			t.Fatal(err)
		}
	}
	update(func(tx *storage.Tx) error {
		u := &dam.User{Name: "Ada", Email: "ada@example.com", Role: dam.RoleAdmin}
		if err := tx.InsertUser(u); err != nil {
			return err
		}
		op.CreatedByID = u.ID
		if err := tx.InsertOperation(op); err != nil {
			return err
		}
		for part := range 2 { // the second part continues after the first
			gaids := make([]dam.GAID, 5)
			for i := range gaids {
				gaids[i] = dam.GAID(fmt.Sprintf("X%d%d", part, i))
			}
			if err := tx.AddOperationGAIDs(op, gaids); err != nil {
				return err
			}
		}
		if err := tx.PublishOperation(op); err != nil {
			return err
		}
		items, err := tx.NextItems(op, 8)
		for i, item := range items {
			item.State = []dam.ItemState{dam.ItemDone, dam.ItemUnchanged, dam.ItemFailed}[i%3]
			if item.State == dam.ItemFailed {
				item.Error = &dam.OperationError{Code: dam.CodeInvalid, Message: "x"}
			}
		}
		op.Done, op.Unchanged, op.Failed = 6, 3, 2
		if err == nil {
			err = tx.SetItems(op, items)
		}
		return err
	})
	for _, want := range []string{"3 1 1 10", "1 0 0 10", "0 0 0 10", "0 0 0 10"} {
		update(func(tx *storage.Tx) error { return tx.UndoItems(op, 4-op.Done%2) })
		err := s.View(t.Context(), func(tx *storage.Tx) error {
			now, err := tx.Operation(op.ID)
			if err != nil {
				return err
			}
			if got := fmt.Sprint(now.Done, " ", now.Unchanged, " ", now.Failed, " ", now.Total); got != want {
				t.Errorf("%s, not %s", got, want)
			}
			items, err := tx.OperationItems(now, "", dam.Page{Limit: 100})
			for i, item := range items {
				if done := item.State != dam.ItemPending; done != (i < now.Next()) || item.Position != i || item.Error != nil && !done {
					t.Errorf("%d done, item %d: %+v", now.Next(), i, item)
				}
			}
			if len(items) != 10 || items[5].GAID != "X10" {
				t.Errorf("%d items", len(items))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A draft is invisible, and is deleted with its items when it is old.
func TestDraft(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "dal.db"))
	err := s.Update(t.Context(), func(tx *storage.Tx) error {
		u := &dam.User{Name: "Ada", Email: "ada@example.com", Role: dam.RoleAdmin}
		if err := tx.InsertUser(u); err != nil {
			return err
		}
		op := &dam.Operation{Type: dam.OperationUpdate, CreatedByID: u.ID}
		if err := tx.InsertOperation(op); err != nil {
			return err
		}
		if err := tx.AddOperationGAIDs(op, []dam.GAID{"A", "B", "C"}); err != nil {
			return err
		}
		if _, err := tx.Operation(op.ID); dam.KindOf(err) != dam.NotFound {
			t.Errorf("a draft is shown: %v", err)
		}
		next, err := tx.OpenOperation(u.ID, dam.OperationUpdate)
		if err != nil || next != nil {
			t.Errorf("a draft is next: %+v, %v", next, err)
		}
		all, n, err := tx.Operations(dam.OperationFilter{}, dam.Page{Limit: 10})
		if err != nil || n != 0 || len(all) != 0 {
			t.Errorf("a draft is listed: %d, %v", n, err)
		}
		for i, want := range []int64{0, 2, 1, 1, 0} { // items, two per call, then the draft
			before := tx.Now().Add(time.Hour)
			if i == 0 {
				before = tx.Now()
			}
			if n, err := tx.TrimDrafts(before, 2); err != nil || n != want {
				t.Errorf("%d: %d, %v", i, n, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
