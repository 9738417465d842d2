package storage_test

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// filledAsset returns an asset with a value in every field, which differs by n. It
// inserts the rows that the asset refers to.
func filledAsset(t *testing.T, tx *storage.Tx, n int) *dam.Asset {
	t.Helper()
	sha := fmt.Sprintf("%064x", n)
	u := &dam.User{Name: "Ada", Email: fmt.Sprintf("ada%d@example.com", n), Role: dam.RoleAdmin}
	must(t, tx.InsertUser(u))
	b := &dam.Batch{Status: dam.BatchOpen, CreatedByID: u.ID}
	must(t, tx.InsertBatch(b))
	must(t, tx.InsertBlob(sha, 1))
	class := &dam.NamedID{Name: fmt.Sprint("Class ", n)}
	must(t, tx.InsertName(storage.AssetClasses, class))
	fixed := map[string]any{
		"FileCategory": []dam.FileCategory{dam.CategoryImage, dam.CategoryVideo}[n%2], "SHA256": sha, "BatchID": b.ID, "AssetClassID": class.ID,
		"WorkflowStatus":   []dam.WorkflowStatus{dam.WorkflowApproved, dam.WorkflowArchived}[n%2],
		"ProcessingStatus": []dam.ProcessingStatus{dam.ProcessingReady, dam.ProcessingFailed}[n%2],
		"OwnerID":          u.ID, "CreatedByID": u.ID, "UpdatedByID": u.ID, "FileByID": u.ID,
	}
	a := &dam.Asset{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[dam.Asset]()) {
		v := reflect.ValueOf(a).Elem().FieldByIndex(f.Index)
		if x, ok := fixed[f.Name]; ok {
			v.Set(reflect.ValueOf(x))
			continue
		}
		text := fmt.Sprint(f.Name, " ", n)
		switch x := v.Addr().Interface().(type) {
		case *time.Time:
			*x = time.UnixMilli(int64(1000 + n)).UTC()
		case **time.Time:
			at := time.UnixMilli(int64(1000 + n)).UTC()
			*x = &at
		case **int64:
			rating := int64(n)
			*x = &rating
		case **dam.Location:
			latitude, longitude := float64(n), -0.5
			*x = &dam.Location{Latitude: &latitude, Longitude: &longitude, Place: text}
		case **dam.FocalPoint:
			*x = &dam.FocalPoint{X: 0, Y: 1 / float64(n)}
		case *[]string:
			*x = []string{text, "more"}
		case *[]byte:
			*x = []byte(text)
		case *[]dam.Color:
			*x = []dam.Color{{Hex: "#1e90ff", Share: float64(n)}}
		case **dam.CaptureTime:
			*x = &dam.CaptureTime{Time: dam.AtOffset(time.UnixMilli(int64(1700000000000+n)), 60*(n-2))} // includes +00:00
		case *map[string]any:
			*x = map[string]any{"key": text}
		case *dam.Findings:
			*x = dam.Findings{Tags: []dam.FoundTag{{Tag: text, Score: 0.5, Source: dam.TagBuiltin, Model: "m"}}, Caption: text, Model: "m"}
		case **dam.Recognized: // stored separately
		case *dam.Availability:
			*x = dam.Available // because its blob is in the library
		case *[]dam.CollectionRef: // depends on the caller's access
		default:
			switch v.Kind() {
			case reflect.String:
				v.SetString(text)
			case reflect.Int, reflect.Int64:
				v.SetInt(int64(10 + n))
			case reflect.Uint64:
				v.SetUint(1<<63 + uint64(n))
			case reflect.Bool:
				v.SetBool(n%2 == 1)
			default:
				t.Fatalf("no sample of %s for %s: add one here", v.Type(), f.Name)
			}
		}
	}
	return a
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// differing returns the names of the fields in which two assets differ.
func differing(a, b *dam.Asset) (names []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[dam.Asset]()) {
		x, y := reflect.ValueOf(a).Elem().FieldByIndex(f.Index), reflect.ValueOf(b).Elem().FieldByIndex(f.Index)
		if !reflect.DeepEqual(x.Interface(), y.Interface()) {
			names = append(names, f.Name)
		}
	}
	return names
}

// Every field of an asset is stored, and the fields that people can change are written on
// update.
func TestAssetIsKeptWhole(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "dal.db"))
	must(t, s.Update(t.Context(), func(tx *storage.Tx) error {
		a := filledAsset(t, tx, 1)
		must(t, tx.InsertAsset(a))
		kept, err := tx.Asset(a.GAID)
		must(t, err)
		if lost := differing(a, kept); lost != nil {
			t.Errorf("InsertAsset does not keep %q", lost)
		}
		b := filledAsset(t, tx, 2)
		b.ID, b.GAID, b.Version = a.ID, a.GAID, a.Version
		must(t, tx.SetFile(b))
		must(t, tx.UpdateAsset(b))
		kept, err = tx.Asset(a.GAID)
		must(t, err)
		lost := differing(b, kept)
		for _, f := range dam.AssetFields() {
			if !reflect.DeepEqual(f.Value(b), f.Value(kept)) {
				t.Errorf("UpdateAsset does not write %s", f.Name)
			}
		}
		for _, field := range []string{
			"Metadata", "Colors", "Technical", "Findings", "OCRText", "UpdatedByID", "DeletedAt", "ProcessingStatus",
		} {
			if slices.Contains(lost, field) {
				t.Errorf("UpdateAsset does not write %s", field)
			}
		}
		if file := kept.File(); !reflect.DeepEqual(file, b.File()) {
			t.Errorf("the file is kept as %+v", file)
		}
		changes, err := tx.Changes(0, 10, false)
		must(t, err)
		for _, f := range dam.AssetFields() {
			if filtered := f.Filter != dam.FilterNone && f.Filter != dam.FilterSet && !f.Long; filtered &&
				!reflect.DeepEqual(f.Value(kept), f.Value(changes[0].Asset)) {
				t.Errorf("%s is not among the columns that lists are filtered by", f.Name)
			}
		}
		return nil
	}))
}
