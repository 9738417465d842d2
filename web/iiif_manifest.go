package web

import (
	"fmt"
	"html"
	"net/http"
	"strconv"
	"strings"

	"github.com/gorilla/mux"

	"github.com/digital-asset-library/dal/app/dam"
	shares "github.com/digital-asset-library/dal/app/share"
)

// The documents of the Presentation API: https://iiif.io/api/presentation/3.0/
type (
	iiifText map[string][]string // by language

	iiifPair struct {
		Label iiifText `json:"label"`
		Value iiifText `json:"value"`
	}
	// iiifResource is any object of a document.
	iiifResource struct {
		Context    string          `json:"@context,omitempty"`
		ID         string          `json:"id"`
		Type       string          `json:"type"`
		Label      iiifText        `json:"label,omitempty"`
		Summary    iiifText        `json:"summary,omitempty"`
		Metadata   []iiifPair      `json:"metadata,omitempty"`
		Required   *iiifPair       `json:"requiredStatement,omitempty"`
		Rights     string          `json:"rights,omitempty"`
		Motivation string          `json:"motivation,omitempty"`
		Profile    string          `json:"profile,omitempty"`
		Format     string          `json:"format,omitempty"`
		Width      int             `json:"width,omitempty"`
		Height     int             `json:"height,omitempty"`
		Thumbnail  []*iiifResource `json:"thumbnail,omitempty"`
		Homepage   []*iiifResource `json:"homepage,omitempty"`
		Service    []*iiifResource `json:"service,omitempty"`
		Body       *iiifResource   `json:"body,omitempty"`
		Target     string          `json:"target,omitempty"`
		Items      []*iiifResource `json:"items,omitzero"` // present in collections, even if empty
	}
)

func plainIIIF(text string) iiifText { return iiifText{"none": {text}} }

// valueIIIF escapes a text that viewers would interpret as HTML.
func valueIIIF(text string) iiifText {
	if strings.HasPrefix(text, "<") && strings.HasSuffix(text, ">") {
		text = "<span>" + html.EscapeString(text) + "</span>"
	}
	return plainIIIF(text)
}

func bothIIIF(english, german string) iiifText { return iiifText{"en": {english}, "de": {german}} }

// describeIIIF adds the public metadata of an asset. Guests of a share see the same as on
// its pages.
func (m *iiifResource) describeIIIF(a *shares.IIIFAsset) {
	asset := a.Asset
	m.Label, m.Rights = plainIIIF(asset.Title), iiifRights(asset)
	if a.Share == nil && asset.Description != "" {
		m.Summary = valueIIIF(asset.Description)
	}
	for _, f := range []struct{ english, german, value string }{
		{"Creator", "Urheber", asset.Creator}, {"Copyright", "Copyright", asset.Copyright},
		{"Terms of use", "Nutzungsbedingungen", asset.UsageTerms},
	} {
		if f.value != "" {
			m.Metadata = append(m.Metadata, iiifPair{bothIIIF(f.english, f.german), valueIIIF(f.value)})
		}
	}
	switch {
	case asset.Copyright != "":
		m.Required = &iiifPair{bothIIIF("Copyright", "Copyright"), valueIIIF(asset.Copyright)}
	case asset.Creator != "":
		m.Required = &iiifPair{bothIIIF("Creator", "Urheber"), valueIIIF(asset.Creator)}
	}
}

// iiifService returns the image service of a picture.
func iiifService(at string) *iiifResource {
	return &iiifResource{ID: at, Type: "ImageService3", Profile: "level2"}
}

func iiifThumbnail(at string) []*iiifResource {
	return []*iiifResource{{
		ID: at + "/full/!200,200/0/default.jpg", Type: "Image", Format: "image/jpeg", Service: []*iiifResource{iiifService(at)},
	}}
}

func (s *Server) iiifManifest(w http.ResponseWriter, r *http.Request, id dam.IIIFID) error {
	if id.GAID == "" || id.Page > 0 {
		return errNoIIIF
	}
	a, err := s.app.IIIF.Asset(r.Context(), id)
	if err != nil {
		return err
	}
	width, height := a.Asset.Width, a.Asset.Height
	if !shares.Paged(a.Asset) || width < 1 || height < 1 { // the dimensions come from the picture, which a viewer requests next
		tiles, err := s.app.IIIF.Tiles(r.Context(), id)
		if err != nil {
			return err
		}
		width, height = tiles.Width, tiles.Height
		tiles.Close()
	}
	at := iiifID(r, id)
	m := &iiifResource{Context: iiifPresentContext, ID: at + "/manifest.json", Type: "Manifest"}
	m.describeIIIF(a)
	if a.Share != nil {
		m.Homepage = []*iiifResource{{
			ID:   requestOf(r.Context()).base + sharePath(id.Token) + "/assets/" + string(id.GAID),
			Type: "Text", Label: plainIIIF(a.Share.Name), Format: "text/html",
		}}
	}
	pages := 1
	if shares.Paged(a.Asset) {
		pages = min(max(a.Asset.PageCount, 1), dam.MaxIIIFPages)
	}
	for n := 1; n <= pages; n++ {
		picture, label := at, m.Label
		if pages > 1 {
			picture, label = iiifID(r, id.OfPage(n)), plainIIIF(strconv.Itoa(n))
		}
		m.Items = append(m.Items, iiifCanvas(fmt.Sprintf("%s/canvas/%d", at, n), picture, label, width, height))
	}
	m.Thumbnail = m.Items[0].Thumbnail
	return s.sendIIIF(w, r, iiifPresentContext, s.iiifCaching(a), m)
}

// iiifCanvas returns a canvas with one picture.
func iiifCanvas(at, picture string, label iiifText, width, height int) *iiifResource {
	body := &iiifResource{
		ID: picture + "/full/max/0/default.jpg", Type: "Image", Format: "image/jpeg", Service: []*iiifResource{iiifService(picture)},
	}
	note := &iiifResource{ID: at + "/page/annotation", Type: "Annotation", Motivation: "painting", Body: body, Target: at}
	page := &iiifResource{ID: at + "/page", Type: "AnnotationPage", Items: []*iiifResource{note}}
	return &iiifResource{
		ID: at, Type: "Canvas", Label: label, Width: width, Height: height, Thumbnail: iiifThumbnail(picture), Items: []*iiifResource{page},
	}
}

// maxIIIFParts is the maximum number of parts of a collection.
const maxIIIFParts = 1000

// iiifCollection lists the assets of a share. With more than MaxIIIFItems, it lists parts.
func (s *Server) iiifCollection(w http.ResponseWriter, r *http.Request, id dam.IIIFID) error {
	part, err := 0, error(nil)
	if text, ok := mux.Vars(r)["part"]; ok {
		if part, err = strconv.Atoi(text); err != nil || part < 1 || part > maxIIIFParts || strconv.Itoa(part) != text {
			return errNoIIIF
		}
	}
	if id.Token == "" || id.GAID != "" {
		return errNoIIIF
	}
	counts := requestOf(r.Context()).raw.Method == http.MethodGet && part == 0
	l, err := s.app.IIIF.List(r.Context(), id.Token, max(part, 1), counts)
	if err != nil {
		return err
	}
	at := iiifID(r, id)
	c := &iiifResource{
		Context: iiifPresentContext, ID: at + "/collection.json", Type: "Collection", Label: plainIIIF(l.Share.Name),
		Items: []*iiifResource{},
	}
	c.Homepage = []*iiifResource{{
		ID: requestOf(r.Context()).base + sharePath(id.Token), Type: "Text", Label: c.Label, Format: "text/html",
	}}
	parts := min((l.Total+dam.MaxIIIFItems-1)/dam.MaxIIIFItems, maxIIIFParts)
	switch {
	case part > max(parts, 1):
		return errNoIIIF
	case part == 0 && parts > 1:
		for n := 1; n <= parts; n++ {
			first := (n-1)*dam.MaxIIIFItems + 1
			c.Items = append(c.Items, &iiifResource{
				ID: fmt.Sprintf("%s/collection/%d.json", at, n), Type: "Collection",
				Label: plainIIIF(fmt.Sprintf("%s %d–%d", l.Share.Name, first, min(n*dam.MaxIIIFItems, l.Total))),
			})
		}
		return s.sendIIIF(w, r, iiifPresentContext, "private, no-cache", c)
	case part > 0:
		c.ID = fmt.Sprintf("%s/collection/%d.json", at, part)
	}
	for _, asset := range l.Assets {
		one := iiifID(r, id.OfAsset(asset.GAID))
		c.Items = append(c.Items, &iiifResource{
			ID: one + "/manifest.json", Type: "Manifest", Label: plainIIIF(asset.Title), Thumbnail: iiifThumbnail(one),
		})
	}
	return s.sendIIIF(w, r, iiifPresentContext, "private, no-cache", c)
}

// offerIIIF adds the IIIF URL of a share or one of its assets, if viewers can open it.
func (v *guestView) offerIIIF(share *dam.Share, asset *dam.Asset, id dam.IIIFID, document string) {
	if !share.NeedsVisit() && shares.HasIIIF(asset) {
		v.IIIF = v.Mount + iiifRoot + id.String() + document
	}
}
