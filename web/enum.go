package web

import (
	"maps"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
)

// enumMark is the member of a schema that names its enum: the document refers to the
// component of that name instead of repeating the values.
const enumMark = "x-dal-enum"

// registerEnums tells huma which types are enums. TestEnums fails if a type of dam that the
// API uses is missing here.
func registerEnums(reg huma.Registry) {
	enum[dam.Ability](reg)
	enum[dam.AuditEvent](reg)
	enum[dam.Availability](reg)
	enum[dam.BatchStatus](reg)
	enum[dam.Channel](reg)
	enum[dam.ColumnUse](reg)
	enum[dam.ConsentContext](reg)
	enum[dam.DeliveryStatus](reg)
	enum[dam.EmptyCells](reg)
	enum[dam.ErrorCode](reg)
	enum[dam.EventType](reg)
	enum[dam.ExportFormat](reg)
	enum[dam.FieldType](reg)
	enum[dam.FileCategory](reg)
	enum[dam.FileErrorCode](reg)
	enum[dam.FileStatus](reg)
	enum[dam.FilterOperator](reg)
	enum[dam.Fit](reg)
	enum[dam.Gravity](reg)
	enum[dam.ItemState](reg)
	enum[dam.OperationErrorCode](reg)
	enum[dam.OperationState](reg)
	enum[dam.OperationType](reg)
	enum[dam.Language](reg)
	enum[dam.PartRole](reg)
	enum[dam.PictureFormat](reg)
	enum[dam.ProcessingStatus](reg)
	enum[dam.Rendition](reg)
	enum[dam.Role](reg)
	enum[dam.RootState](reg)
	enum[dam.ShareAction](reg)
	enum[dam.ShareType](reg)
	enum[dam.UsageState](reg)
	enum[dam.UserState](reg)
	enum[dam.Visibility](reg)
	enum[dam.WebhookStatus](reg)
	enum[dam.WorkflowStatus](reg)
	enum[dam.Direction](reg)
	enum[dam.MarkPlacement](reg)
	enum[dam.MatchMode](reg)
	enum[dam.Meaning](reg)
	enum[dam.Sort](reg)
	enum[dam.TagSource](reg)
	enum[dam.SuggestionType](reg)
	enum[dam.TableEncoding](reg)
	enum[dam.TrackKind](reg)
	enum[dam.Trashed](reg)
	enum[AnalysisTask](reg)
	enum[AnalyticsSort](reg)
	enum[AssetChangeType](reg)
	enum[AssetSort](reg)
	enum[EventSubscription](reg)
	enum[Flag](reg)
	enum[PreviewState](reg)
	enum[RequestMethod](reg)
	enum[StreamType](reg)
	enum[WarningCode](reg)
}

// enum makes huma describe and check E by its values.
func enum[E dam.Enum[E]](reg huma.Registry) {
	reg.RegisterTypeAlias(reflect.TypeFor[E](), reflect.TypeFor[word[E]]())
}

// word represents E in the document: E may be a type of dam, which does not depend on huma.
type word[E dam.Enum[E]] struct{}

// Schema lists the values and names the enum after the type.
func (word[E]) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString, Extensions: map[string]any{enumMark: reflect.TypeFor[E]().Name()}}
	for _, v := range dam.Values[E]() {
		s.Enum = append(s.Enum, string(v))
	}
	return s
}

// EventSubscription is an event type, or * for all.
type EventSubscription dam.EventType

// Values lists the possible subscriptions.
func (EventSubscription) Values() []EventSubscription {
	return append(mapped(dam.Values[dam.EventType](), toSubscription), EventSubscription(dam.AllEvents))
}

func toSubscription(t dam.EventType) EventSubscription { return EventSubscription(t) }

func toEventTypes(list []EventSubscription) []dam.EventType {
	return mapped(list, func(s EventSubscription) dam.EventType { return dam.EventType(s) })
}

// AssetSort is a sort key of asset lists outside of collections.
type AssetSort dam.Sort

// Values lists the sort keys, without the position in a collection.
func (AssetSort) Values() []AssetSort {
	return mapped(dam.ListSorts(), func(s dam.Sort) AssetSort { return AssetSort(s) })
}

// Flag is an optional boolean parameter, in the spellings that Laravel accepts.
type Flag string

// Values lists the spellings.
func (Flag) Values() []Flag { return []Flag{"true", "false", "1", "0"} }

func (f Flag) isTrue() bool { return f == "true" || f == "1" }

// PreviewState is the state that an item of an operation would end in.
type PreviewState dam.ItemState

// Values lists the states of a preview.
func (PreviewState) Values() []PreviewState {
	return []PreviewState{PreviewState(dam.ItemDone), PreviewState(dam.ItemUnchanged), PreviewState(dam.ItemFailed)}
}

// RequestMethod is the method of an audited request, or app.CommandMethod.
type RequestMethod string

// Values lists the methods of audited requests.
func (RequestMethod) Values() []RequestMethod {
	return []RequestMethod{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete,
		access.CommandMethod}
}

// nameEnums turns each enum into a component and refers to it wherever it is used.
func (d *document) nameEnums() {
	components := map[string]any{}
	d.eachSchema(func(_, _ string, s map[string]any) {
		name, ok := s[enumMark].(string)
		if !ok {
			return
		}
		words, _ := s["enum"].([]any)
		if hasType(s, "null") {
			words = words[:len(words)-1] // without the null that allowNull appended
			s["anyOf"] = []any{ref(name), map[string]any{"type": "null"}}
		} else {
			s["$ref"] = ref(name)["$ref"]
		}
		components[name] = map[string]any{"type": "string", "enum": words, "examples": words[:1]}
		for _, member := range []string{"type", "enum", enumMark} {
			delete(s, member)
		}
	})
	maps.Copy(d.schemas, components)
}

// ref returns a reference to a component.
func ref(name string) map[string]any { return map[string]any{"$ref": "#/components/schemas/" + name} }
