package web

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/gorilla/mux"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/render"
)

// imageRoot is the path prefix of signed pictures.
const imageRoot = "/i/"

// imageKeep is how long caches may store a picture that never changes; oldImageKeep is for
// IIIF, whose URLs stay the same when the asset changes.
const (
	imageKeep    = 365 * 24 * time.Hour
	oldImageKeep = 5 * time.Minute
)

// ImageURL is the URL of a picture, which requires no credentials.
type ImageURL struct {
	GAID dam.GAID `json:"gaid" example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
	URL  string   `json:"url" example:"http://localhost:8080/i/01KB3J8Q5V7X9Z1B3D5F7H9K1M/1-3-Yk3m2c5n8q1t4w7z0b3e6g/v=9f86d081,w=800"`
}

// ImageSpec requests the URL of a picture.
type ImageSpec struct {
	GAID    dam.GAID          `json:"gaid" minLength:"1" maxLength:"26" example:"01KB3J8Q5V7X9Z1B3D5F7H9K1M"`
	Preset  string            `json:"preset,omitempty" maxLength:"50" doc:"Preset, instead of rendering parameters." example:"web"`
	Width   int               `json:"width,omitempty" minimum:"1" maximum:"8192" doc:"Maximum width in CSS pixels." example:"800"`
	Height  int               `json:"height,omitempty" minimum:"1" maximum:"8192" doc:"Maximum height in CSS pixels." example:"600"`
	Fit     dam.Fit           `json:"fit,omitempty" example:"cover"`
	Gravity dam.Gravity       `json:"gravity,omitempty" example:"focal"`
	Focal   *FocalPoint       `json:"focal_point,omitempty" doc:"Focal point, instead of gravity."`
	Format  dam.PictureFormat `json:"format,omitempty" example:"webp"`
	Quality int               `json:"quality,omitempty" minimum:"1" maximum:"100" example:"82"`
	DPR     float64           `json:"dpr,omitempty" minimum:"1" maximum:"4" doc:"Device pixels per CSS pixel, with one decimal." example:"2"`
}

type (
	signImagesInput struct {
		Body struct {
			Images []ImageSpec `json:"images" minItems:"1" maxItems:"1000" doc:"Pictures to sign URLs for."`
		} `contentType:"application/json" nameHint:"SignImages"`
	}
	signImagesOutput struct{ Body ImageURLs }
)

// ImageURLs are the URLs of pictures, in the requested order.
type ImageURLs struct {
	Data []ImageURL `json:"data"`
}

func (s *Server) imageRoutes() {
	sign := group{tag: "Pictures", path: "/image-urls"}.route("signImages", "POST", "", "Sign picture URLs",
		dam.SharesManage, dam.AssetsDownload)
	register(s, sign.reading(), s.signImages)
}

// imagePaths registers the picture routes first, since they are the most frequent: routes
// are matched in order.
func (s *Server) imagePaths() {
	s.router.HandleFunc(imageRoot+"{gaid}/{signature}/{options}", s.image).Methods(http.MethodGet, http.MethodHead)
	s.router.PathPrefix(imageRoot).HandlerFunc(s.image).Methods(http.MethodGet, http.MethodHead) // without a signature: no page either
}

func (s *Server) signImages(ctx context.Context, in *signImagesInput) (*signImagesOutput, error) {
	wishes := mapped(in.Body.Images, func(i ImageSpec) render.ImageWish {
		t := dam.Transform{Width: i.Width, Height: i.Height, Fit: i.Fit, Gravity: i.Gravity, Format: i.Format, Quality: i.Quality, Ratio: i.DPR}
		if i.Focal != nil {
			t.Focal = ptr(i.Focal.dam())
		}
		return render.ImageWish{GAID: i.GAID, Preset: i.Preset, Transform: t}
	})
	paths, err := s.app.Images.SignImages(ctx, requestOf(ctx).actor, wishes)
	if err != nil {
		return nil, err
	}
	out := &signImagesOutput{ImageURLs{Data: []ImageURL{}}}
	for i, path := range paths {
		out.Body.Data = append(out.Body.Data, ImageURL{wishes[i].GAID, requestOf(ctx).base + path})
	}
	return out, nil
}

// image sends the picture of a signed URL.
func (s *Server) image(w http.ResponseWriter, r *http.Request) {
	v := mux.Vars(r)
	image, err := s.app.Images.Image(r.Context(), dam.GAID(v["gaid"]), v["signature"], v["options"], s.pictureQueue(r))
	if err != nil {
		w.Header().Set("Cache-Control", "no-store") // it may become available at any time
		writeError(w, toAPI(r.Context(), s.log, err))
		return
	}
	h := w.Header()
	if image.Moved != "" {
		h.Set("Cache-Control", "no-cache")
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
		h.Set("Location", s.mount+image.Moved)
		w.WriteHeader(http.StatusFound)
		return
	}
	defer image.Content.Close()
	h.Set("Content-Type", image.MIMEType)
	h.Set("Content-Disposition", "inline") // does not reveal the name
	h.Set("Content-Security-Policy", fileCSP)
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("ETag", image.ETag)
	h.Set("Cache-Control", imageCaching(image, s.opt.Now()))
	serveContent(w, r, time.Time{}, image.Content) // the ETag is more precise than a time
	if requestOf(r.Context()).gotAll() {
		s.app.Analytics.Pictured(r.Context(), dam.GAID(v["gaid"]))
	}
}

// imageCaching returns the Cache-Control of a picture: never beyond the end of its asset's
// usage period.
func imageCaching(image *render.Image, now time.Time) string {
	keep := dam.DeliverableFor(image.Asset, now, imageKeep)
	caching := fmt.Sprintf("public, max-age=%d", int(keep.Seconds()))
	if keep == imageKeep {
		caching += ", immutable"
	}
	return caching
}
