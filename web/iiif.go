package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/mux"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/share"
)

// iiifRoot is the path prefix of IIIF pictures and manifests.
const iiifRoot = "/iiif/"

const (
	iiifImageContext   = "http://iiif.io/api/image/3/context.json"
	iiifPresentContext = "http://iiif.io/api/presentation/3/context.json"
	iiifProfile        = "http://iiif.io/api/image/3/level2.json"
)

// IIIFURLs are the IIIF URLs of an asset, which require no credentials.
type IIIFURLs struct {
	GAID        dam.GAID `json:"gaid" example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
	ManifestURL string   `json:"manifest_url" example:"https://example.com/iiif/01KB3J8Q5V7X9Z1B3D5F7H9K1M~1-3-Yk3m2c5n8q1t4w/manifest.json"`
	InfoURL     string   `json:"info_url" example:"https://example.com/iiif/01KB3J8Q5V7X9Z1B3D5F7H9K1M~1-3-Yk3m2c5n8q1t4w7z/info.json"`
}

// IIIFSpec requests the URLs of an asset.
type IIIFSpec struct {
	GAID    dam.GAID `json:"gaid" minLength:"1" maxLength:"26" example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
	Longest int      `json:"max_resolution,omitempty" minimum:"16" maximum:"3200" example:"2000"`
}

type (
	signIIIFInput struct {
		Body struct {
			Images []IIIFSpec `json:"images" minItems:"1" maxItems:"1000" doc:"Pictures and documents to sign URLs for."`
		} `contentType:"application/json" nameHint:"SignIIIF"`
	}
	signIIIFOutput struct{ Body SignedIIIF }
)

// SignedIIIF are the URLs of assets, in the requested order.
type SignedIIIF struct {
	Data []IIIFURLs `json:"data"`
}

func (s *Server) iiifRoutes() {
	sign := group{tag: "Pictures", path: "/iiif-urls"}.route("signIIIF", "POST", "", "Sign the IIIF URLs of pictures and documents",
		dam.SharesManage, dam.AssetsDownload)
	register(s, sign.reading(), s.signIIIF)
	id := iiifRoot + "{id}"
	for path, fn := range map[string]iiifHandler{
		id:                             s.iiifBase,
		id + "/":                       s.iiifBase,
		id + "/info.json":              s.iiifInfo,
		id + "/manifest.json":          s.iiifManifest,
		id + "/collection.json":        s.iiifCollection,
		id + "/collection/{part}.json": s.iiifCollection,
		id + "/{region}/{size}/{rotation}/{file}": s.iiifImage,
	} {
		s.router.HandleFunc(path, s.open(fn)).Methods(http.MethodGet, http.MethodHead)
	}
	s.router.PathPrefix(iiifRoot).Methods(http.MethodGet, http.MethodHead).HandlerFunc(s.open(
		func(http.ResponseWriter, *http.Request, dam.IIIFID) error { return errNoIIIF }))
	s.router.PathPrefix(iiifRoot).Methods(http.MethodOptions).HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Allow-Methods", "GET, HEAD")
		h.Set("Access-Control-Allow-Headers", "*")
		h.Set("Access-Control-Max-Age", itoa(corsAge))
		w.WriteHeader(http.StatusNoContent)
	})
}

var errNoIIIF = dam.Errorf(dam.NotFound, "Not found.")

func (s *Server) signIIIF(ctx context.Context, in *signIIIFInput) (*signIIIFOutput, error) {
	wishes := mapped(in.Body.Images, func(i IIIFSpec) share.IIIFWish { return share.IIIFWish{GAID: i.GAID, Max: i.Longest} })
	ids, err := s.app.Shares.SignIIIF(ctx, requestOf(ctx).actor, wishes)
	if err != nil {
		return nil, err
	}
	base := requestOf(ctx).base + iiifRoot
	return &signIIIFOutput{SignedIIIF{mapped(ids, func(id dam.IIIFID) IIIFURLs {
		return IIIFURLs{id.GAID, base + id.String() + "/manifest.json", base + id.String() + "/info.json"}
	})}}, nil
}

// iiifHandler answers a request for an identifier.
type iiifHandler func(http.ResponseWriter, *http.Request, dam.IIIFID) error

// open allows requests from all origins: knowing an identifier is sufficient to see its
// content.
func (s *Server) open(fn iiifHandler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Expose-Headers", "ETag, Link, Location")
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
		h.Set("X-Robots-Tag", "noindex, nofollow, noarchive")
		h.Set("Content-Security-Policy", fileCSP)
		id, ok := dam.ParseIIIFID(mux.Vars(r)["id"])
		err := error(errNoIIIF)
		if ok {
			err = fn(w, r, id)
		}
		if err == nil {
			return
		}
		h.Set("Cache-Control", "no-store") // it may become available at any time
		if errors.Is(err, dam.ErrIIIFUnsupported) {
			const why = "This server does not make pictures larger than they are."
			writeError(w, &apiError{status: http.StatusNotImplemented, Message: why})
			return
		}
		writeError(w, toAPI(r.Context(), s.log, err))
	}
}

// iiifID returns the URL of an identifier.
func iiifID(r *http.Request, id dam.IIIFID) string {
	return requestOf(r.Context()).base + iiifRoot + id.String()
}

// iiifBase redirects from the base URL of a picture to its description.
func (s *Server) iiifBase(w http.ResponseWriter, r *http.Request, id dam.IIIFID) error {
	if id.GAID == "" {
		return errNoIIIF
	}
	if _, err := s.app.IIIF.Asset(r.Context(), id); err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", iiifID(r, id)+"/info.json")
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// iiifCaching returns the Cache-Control of an answer. Answers about shares are revalidated
// each time. Without a site URL, the answer contains the host of the request, so only the
// browser may cache it: a forged host must not get into a shared cache.
func (s *Server) iiifCaching(a *share.IIIFAsset) string {
	if a.Share != nil {
		return "private, no-cache"
	}
	scope := "public"
	if s.opt.SiteURL == nil {
		scope = "private"
	}
	return fmt.Sprintf("%s, max-age=%d", scope, int(dam.DeliverableFor(a.Asset, s.opt.Now(), oldImageKeep).Seconds()))
}

// iiifImage sends a picture.
func (s *Server) iiifImage(w http.ResponseWriter, r *http.Request, id dam.IIIFID) error {
	v := mux.Vars(r)
	ask, wrong := dam.ParseIIIF(v["region"], v["size"], v["rotation"], v["file"])
	if wrong != nil {
		if _, err := s.app.IIIF.Asset(r.Context(), id); err != nil {
			return err
		}
		return wrong
	}
	p, err := s.app.IIIF.Picture(r.Context(), id, ask, s.pictureQueue(r))
	if err != nil {
		return err
	}
	defer p.Content.Close()
	h := w.Header()
	h.Set("Content-Type", p.MIMEType)
	h.Set("Content-Disposition", "inline")
	h.Set("ETag", p.ETag)
	h.Set("Cache-Control", s.iiifCaching(p.IIIFAsset))
	h.Add("Link", "<"+iiifID(r, id)+"/"+p.Canonical+`>;rel="canonical"`)
	h.Add("Link", "<"+iiifProfile+`>;rel="profile"`)
	serveContent(w, r, time.Time{}, p.Content)
	return nil
}

// The description of a picture: https://iiif.io/api/image/3.0/#5-image-information
type (
	iiifInfo struct {
		Context        string     `json:"@context"`
		ID             string     `json:"id"`
		Type           string     `json:"type"`
		Protocol       string     `json:"protocol"`
		Profile        string     `json:"profile"`
		Width          int        `json:"width"`
		Height         int        `json:"height"`
		MaxWidth       int        `json:"maxWidth"`
		MaxHeight      int        `json:"maxHeight"`
		MaxArea        int        `json:"maxArea"`
		Sizes          []iiifSize `json:"sizes"`
		Tiles          []iiifTile `json:"tiles"`
		Rights         string     `json:"rights,omitempty"`
		ExtraQualities []string   `json:"extraQualities"`
		ExtraFormats   []string   `json:"extraFormats,omitempty"`
		ExtraFeatures  []string   `json:"extraFeatures"`
	}
	iiifSize struct {
		Width  int `json:"width"`
		Height int `json:"height"`
	}
	iiifTile struct {
		Width   int   `json:"width"`
		Height  int   `json:"height"`
		Factors []int `json:"scaleFactors"`
	}
)

func (s *Server) iiifInfo(w http.ResponseWriter, r *http.Request, id dam.IIIFID) error {
	tiles, err := s.app.IIIF.Tiles(r.Context(), id)
	if err != nil {
		return err
	}
	defer tiles.Close()
	info := iiifInfo{
		Context: iiifImageContext, ID: iiifID(r, id), Type: "ImageService3", Protocol: "http://iiif.io/api/image", Profile: "level2",
		Width: tiles.Width, Height: tiles.Height, MaxArea: dam.MaxIIIFArea,
		MaxWidth: min(tiles.Width, dam.MaxIIIFSide), MaxHeight: min(tiles.Height, dam.MaxIIIFSide),
		Rights: iiifRights(tiles.Asset), ExtraQualities: dam.IIIFQualities()[1:],
		ExtraFeatures: []string{"canonicalLinkHeader", "mirroring", "profileLinkHeader"},
	}
	if s.app.IIIF.Encodes(dam.PictureWebP) {
		info.ExtraFormats = []string{string(dam.PictureWebP)}
	}
	t := iiifTile{Width: min(tiles.Width, dam.IIIFTile), Height: min(tiles.Height, dam.IIIFTile)} // within the delivered size
	for i, l := range tiles.Levels {
		t.Factors = append(t.Factors, 1<<i)
		if w, h := dam.IIIFMost(l.Width, l.Height); w == l.Width && h == l.Height {
			info.Sizes = append([]iiifSize{{l.Width, l.Height}}, info.Sizes...)
		}
	}
	info.Tiles = []iiifTile{t}
	w.Header().Add("Link", "<"+iiifProfile+`>;rel="profile"`)
	return s.sendIIIF(w, r, iiifImageContext, s.iiifCaching(tiles.IIIFAsset), info)
}

// sendIIIF sends a document, as JSON-LD to clients that accept it or have no preference.
func (s *Server) sendIIIF(w http.ResponseWriter, r *http.Request, context, caching string, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	h := w.Header()
	kind, accept := "application/json", strings.Join(r.Header.Values("Accept"), ",")
	if accept == "" || strings.Contains(strings.ToLower(accept), "application/ld+json") {
		kind = `application/ld+json;profile="` + context + `"`
	}
	h.Set("Content-Type", kind)
	h.Add("Vary", "Accept")
	h.Set("Cache-Control", caching)
	sum := sha256.Sum256(append([]byte(kind), b.Bytes()...))
	h.Set("ETag", `"`+hex.EncodeToString(sum[:16])+`"`)
	serveContent(w, r, time.Time{}, bytes.NewReader(b.Bytes()))
	return nil
}

// iiifRights returns the URL of the asset's license if its usage terms are one that IIIF
// documents can name, and "" otherwise.
func iiifRights(a *dam.Asset) string {
	text := strings.TrimSpace(a.UsageTerms)
	for _, root := range []string{"creativecommons.org/licenses/", "creativecommons.org/publicdomain/", "rightsstatements.org/vocab/"} {
		for _, scheme := range []string{"http://", "https://"} {
			if rest, ok := strings.CutPrefix(text, scheme+root); ok && rest != "" && !strings.ContainsAny(rest, " \t\r\n<>\"") {
				return "http://" + root + rest
			}
		}
	}
	return ""
}
