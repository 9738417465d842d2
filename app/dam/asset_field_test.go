package dam_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
)

// notEdited are the asset fields that no patch changes: facts about the file, fields
// maintained by the server, and fields filled in for display.
var notEdited = []string{
	"ID", "GAID", "OriginalFilename", "MIMEType", "FileCategory", "Extension", "Width", "Height", "DurationMS", "PageCount",
	"FileSize", "SHA256", "BatchID", "OCRText", "ProcessingStatus", "Colors", "ThumbHash", "PHash", "HasProxy", "Technical", "Findings",
	"FileVersion", "FileAt", "FileByID",
	"CreatedByID", "UpdatedByID", "Version", "CreatedAt", "UpdatedAt", "DeletedAt", "Collections", "Recognized",
	"RootID", "Folder", "Availability",
}

// patchOf returns a patch that sends a single field.
func patchOf(t *testing.T, field string) *dam.AssetPatch {
	t.Helper()
	var p dam.AssetPatch
	switch o := reflect.ValueOf(&p).Elem().FieldByName(field).Addr().Interface().(type) {
	case *dam.Opt[string]:
		*o = dam.Opt[string]{Sent: true, Value: "new"}
	case *dam.Opt[[]string]:
		*o = dam.Opt[[]string]{Sent: true, Value: []string{"new"}}
	case *dam.Opt[time.Time]:
		*o = dam.Opt[time.Time]{Sent: true, Value: time.Unix(1, 0)}
	case *dam.Opt[dam.WorkflowStatus]:
		*o = dam.Opt[dam.WorkflowStatus]{Sent: true, Value: dam.WorkflowApproved}
	case *dam.Opt[int64]:
		*o = dam.Opt[int64]{Sent: true, Value: 5}
	case *dam.Opt[dam.LocationPatch]:
		*o = dam.Opt[dam.LocationPatch]{Sent: true, Value: dam.LocationPatch{Place: dam.Opt[string]{Sent: true, Value: "new"}}}
	case *dam.Opt[dam.FocalPoint]:
		*o = dam.Opt[dam.FocalPoint]{Sent: true, Value: dam.FocalPoint{X: 0.5, Y: 1}}
	default:
		t.Fatalf("no sample of %T for %s: add one here", o, field)
	}
	return &p
}

// Each field of a patch, sent alone, is recognized as sent, changes only the field of its
// name, and appears in the diff.
func TestAssetFields(t *testing.T) {
	t.Parallel()
	names := []string{}
	for _, f := range dam.AssetFields() {
		if !strings.HasPrefix(f.Name, "capture_") {
			names = append(names, f.Name)
		}
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[dam.AssetPatch]()) {
		if f.Name == "Metadata" || f.Name == "isClock" || strings.HasPrefix(f.Name, "Capture") { // see TestCapturePatch
			continue
		}
		before := dam.Asset{Title: "old", OriginalFilename: "old.jpg", WorkflowStatus: dam.WorkflowDraft}
		after, p := before, patchOf(t, f.Name)
		if !p.TouchesFields() {
			t.Errorf("a patch of %s changes nothing: it is not in assetFields", f.Name)
			continue
		}
		if err := p.Apply(&after, nil); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		if got := changedFields(&before, &after); !slices.Equal(got, []string{f.Name}) {
			t.Errorf("a patch of %s changes %q", f.Name, got)
		}
		diff := dam.DiffAssets(&before, &after)
		if len(diff) != 1 || !slices.Contains(names, diff[0].Field) {
			t.Errorf("a patch of %s differs in %v", f.Name, diff)
			continue
		}
		names = slices.DeleteFunc(names, func(name string) bool { return name == diff[0].Field })
	}
	if len(names) > 0 {
		t.Errorf("no patch changes %q", names)
	}
}

// Each field of an asset is either editable or listed in notEdited.
func TestEveryAssetFieldIsEditedOrNot(t *testing.T) {
	t.Parallel()
	patch := reflect.TypeFor[dam.AssetPatch]()
	for _, f := range reflect.VisibleFields(reflect.TypeFor[dam.Asset]()) {
		if _, edited := patch.FieldByName(f.Name); edited == slices.Contains(notEdited, f.Name) {
			t.Errorf("%s is to be either in dam.AssetPatch or in notEdited", f.Name)
		}
	}
}

func changedFields(before, after *dam.Asset) (names []string) {
	old, changed := reflect.ValueOf(*before), reflect.ValueOf(*after)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[dam.Asset]()) {
		if !reflect.DeepEqual(old.FieldByIndex(f.Index).Interface(), changed.FieldByIndex(f.Index).Interface()) {
			names = append(names, f.Name)
		}
	}
	return names
}
