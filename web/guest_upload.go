package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/gorilla/mux"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/share"
)

const (
	maxFormMark = 100     // bytes
	formSlack   = 1 << 20 // bytes of a form in addition to its files
)

// handInRoutes registers the routes of guest uploads, below the page of a share.
func (s *Server) handInRoutes(page string) {
	s.servePage("/share-upload.js", "text/javascript; charset=utf-8", guideCSP, guestFile("share/upload.js"))
	handle := func(method, path string, fn http.HandlerFunc) {
		s.router.HandleFunc(page+path, func(w http.ResponseWriter, r *http.Request) {
			unlisted(w.Header())
			fn(w, r)
		}).Methods(method)
	}
	s.router.HandleFunc(page+"/files", private(s.handedIn)).Methods(http.MethodGet)
	s.router.HandleFunc(page+"/files", private(s.handInForm)).Methods(http.MethodPost)
	handle(http.MethodPost, "/done", s.endHandIn)
	handle(http.MethodPost, "/tus/", s.beginHandIn)
	handle(http.MethodHead, "/tus/{upload}", s.showHandInUpload)
	handle(http.MethodPatch, "/tus/{upload}", s.appendHandIn)
	handle(http.MethodDelete, "/tus/{upload}", s.deleteHandIn)
}

// handInView is the data of the guest upload page.
type handInView struct {
	Limits []string
	Accept string
	Faults []string
	Files  []handInFile
	Texts  string // texts of the script, as JSON
}

// handInFile is a guest's file.
type handInFile struct {
	Name  string `json:"name"`
	Size  string `json:"size"`
	State string `json:"state"` // "unfinished", "received", "checking", "accepted" or "refused"
	Text  string `json:"text"`

	// For unfinished files only.
	Key      string `json:"key,omitempty"` // assigned by the script
	Upload   string `json:"upload,omitempty"`
	Received int64  `json:"received,omitempty"`
}

// showHandIn shows the guest upload page, with the errors of a submitted form.
func (s *Server) showHandIn(w http.ResponseWriter, r *http.Request, key share.GuestKey, status int, faults []string) {
	h, err := s.app.Shares.HandIn(r.Context(), key)
	if err != nil {
		s.guestError(w, r, err)
		return
	}
	v := s.view(r, "hand-in")
	v.Title, v.Share, v.Form = h.Name, h.Share, formMark(key.Cookie)
	v.HandIn = &handInView{Limits: v.limits(h), Accept: accepts(h.Upload), Faults: faults, Files: v.handIns(h)}
	texts, err := json.Marshal(v.scriptTexts())
	if err != nil {
		s.guestError(w, r, err)
		return
	}
	v.HandIn.Texts = string(texts)
	w.Header().Set("Content-Security-Policy", guestFetchCSP)
	s.showGuest(w, r, status, v)
}

// handIns returns a guest's files in the form of the page.
func (v *guestView) handIns(h *share.HandIn) []handInFile {
	list := make([]handInFile, 0, len(h.Unfinished)+len(h.Files))
	for _, u := range h.Unfinished {
		meta, _ := tusMetadata(u.Metadata) // it was parsed before
		percent := 0
		if u.Size > 0 {
			percent = int(u.Received * 100 / u.Size)
		}
		list = append(list, handInFile{Name: u.Filename, Size: v.size(u.Size), State: "unfinished",
			Text: fmt.Sprintf(v.T("%d%% received. Select the file again to resume."), percent),
			Key:  meta["key"], Upload: v.Root + "/tus/" + u.ID, Received: u.Received})
	}
	for _, f := range h.Files {
		item := handInFile{Name: f.Filename, Size: v.size(f.Size)}
		item.State, item.Text = v.stateOf(f)
		list = append(list, item)
	}
	return list
}

// stateOf returns the state of a file as far as its guest may know: duplicates of existing
// files look like any other file.
func (v *guestView) stateOf(f *dam.BatchFile) (state, text string) {
	switch f.Status {
	case dam.FileQueued:
		return "received", v.T("Received")
	case dam.FileReady, dam.FileDuplicate:
		return "accepted", v.T("Accepted")
	case dam.FileRejected, dam.FileFailed:
		why := "The file could not be checked. Please upload it again."
		if f.Error != nil {
			why = handInFaults[f.Error.Code]
		}
		return "refused", fmt.Sprintf(v.T("Rejected: %s"), v.T(why))
	}
	return "checking", v.T("Checking")
}

// handInFaults are the reasons why files are refused after the upload.
var handInFaults = map[dam.FileErrorCode]string{
	dam.CodeInfected:          "The virus scanner found a threat.",
	dam.CodeUnsupportedFormat: "Files of this type are not accepted.",
	dam.CodeCorrupt:           "The file is damaged.",
	dam.CodeTooLarge:          "The file is too large.",
	dam.CodeLimitsExceeded:    "Reading the file takes too much time or memory.",
	dam.CodeInternal:          "The file could not be checked. Please upload it again.",
	dam.CodeCancelled:         "The upload was cancelled.",
}

// size formats a number of bytes with three digits: a limit of 10 GiB is shown as 10.7 GB,
// not as 11 GB.
func (t guestTexts) size(n int64) string {
	text := humanize.BytesN(uint64(max(n, 0)), 3)
	text = strings.NewReplacer(".00 ", " ", ".0 ", " ").Replace(text)
	if t.Language == string(dam.German) {
		text = strings.Replace(text, ".", ",", 1)
	}
	return text
}

// refusal explains why a file was not accepted.
func (t guestTexts) refusal(why *dam.RefusedFile) string {
	switch why.Why {
	case dam.RefusedEmpty:
		return t.T("The file is empty.")
	case dam.RefusedSize:
		return fmt.Sprintf(t.T("A file can be up to %s."), t.size(why.Limit))
	case dam.RefusedFiles:
		return fmt.Sprintf(t.T("You can upload up to %d files."), why.Limit)
	case dam.RefusedTotal:
		return fmt.Sprintf(t.T("You can upload up to %s."), t.size(why.Limit))
	}
	return t.T("Files of this type are not accepted.")
}

// limits lists the limits of a share. It does not include the remaining amounts, which
// would reveal the uploads of others.
func (t guestTexts) limits(h *share.HandIn) []string {
	u := h.Upload
	list := []string{fmt.Sprintf(t.T("Up to %d files, %s in total, %s each"), u.MaxFiles, t.size(u.MaxTotalSize), t.size(h.MaxFileSize))}
	var kinds []string
	for _, c := range u.Categories {
		kinds = append(kinds, t.T(string(c)))
	}
	if kinds != nil {
		list = append(list, fmt.Sprintf(t.T("Only %s"), strings.Join(kinds, ", ")))
	}
	if len(u.Extensions) > 0 {
		list = append(list, fmt.Sprintf(t.T("File extensions: %s"), "."+strings.Join(u.Extensions, ", .")))
	}
	return list
}

// accepts returns the accept attribute of the file input; "" for all files.
func accepts(u *dam.ShareUpload) string {
	if len(u.Extensions) > 0 {
		return "." + strings.Join(u.Extensions, ",.")
	}
	var kinds []string
	for _, c := range u.Categories {
		if c == dam.CategoryDocument { // documents have no common MIME type
			return ""
		}
		kinds = append(kinds, strings.ToLower(string(c))+"/*")
	}
	return strings.Join(kinds, ",")
}

// handInFault sends the error to the script, as text.
func (s *Server) handInFault(w http.ResponseWriter, r *http.Request, err error) {
	t := textsFor(r)
	if why, ok := errors.AsType[*dam.RefusedFile](err); ok {
		writeError(w, &apiError{status: http.StatusUnprocessableEntity, Message: t.refusal(why)})
		return
	}
	if errors.Is(err, share.ErrGate) {
		writeError(w, &apiError{status: http.StatusForbidden, Message: t.T("Reload the page to continue.")})
		return
	}
	e := *toAPI(r.Context(), s.log, err)
	e.Message, e.Errors, e.RequiredAbilities = t.T(e.Message), nil, nil
	writeError(w, &e)
}

// handedIn sends the guest's files to the script.
func (s *Server) handedIn(w http.ResponseWriter, r *http.Request) {
	h, err := s.app.Shares.HandIn(r.Context(), guestKey(r))
	if err != nil {
		s.handInFault(w, r, err)
		return
	}
	v := s.view(r, "hand-in")
	writeJSON(w, http.StatusOK, map[string]any{"files": v.handIns(h)})
}

// handInForm accepts the files of a form.
func (s *Server) handInForm(w http.ResponseWriter, r *http.Request) {
	key, t := guestKey(r), textsFor(r)
	form, taken, err := s.readHandIn(r, key)
	switch why, refused := errors.AsType[*dam.RefusedFile](err); {
	case refused:
		s.showHandIn(w, r, key, http.StatusUnprocessableEntity, []string{t.refusal(why)})
	case err != nil:
		s.guestError(w, r, bodyError(err, cutOff))
	case taken == 0 && len(form.Refused) == 0:
		s.showHandIn(w, r, key, http.StatusUnprocessableEntity, []string{t.T("Choose a file first.")})
	case len(form.Refused) > 0:
		var faults []string
		for _, f := range form.Refused {
			faults = append(faults, f.Name+": "+t.refusal(f.Why))
		}
		s.showHandIn(w, r, key, http.StatusUnprocessableEntity, faults)
	default:
		w.Header().Set("Location", s.shareRoot(r))
		w.WriteHeader(http.StatusSeeOther)
	}
}

// readHandIn parses a form with files, whose first field is its CSRF token: see guestForm.
func (s *Server) readHandIn(r *http.Request, key share.GuestKey) (form *share.HandInForm, taken int, err error) {
	info, ctx := requestOf(r.Context()), r.Context()
	if r.ContentLength < 0 {
		return nil, 0, dam.Errorf(dam.Malformed, "The form is not valid.")
	}
	if form, err = s.app.Shares.NewHandInForm(ctx, key, r.ContentLength-formSlack); err != nil {
		return nil, 0, err
	}
	defer form.Discard()
	info.body.within(s.opt.Stall + bodyTime*time.Duration(r.ContentLength/defaultBody)) // the form occupies a slot
	parts, err := partsOf(info, form.Body(ctx, info.body))
	if err != nil {
		return nil, 0, err
	}
	first, err := parts.NextRawPart()
	if err != nil {
		return nil, 0, dam.Errorf(dam.Malformed, "The form is not valid.")
	}
	mark, err := io.ReadAll(io.LimitReader(first, maxFormMark))
	if err != nil {
		return nil, 0, err
	}
	if first.FormName() != "form" { // without a token
		mark = nil
	}
	if err := checkMark(string(mark), key.Cookie); err != nil {
		return nil, 0, err
	}
	for {
		p, err := parts.NextRawPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, 0, formError(err)
		}
		name := partFilename(p)
		if p.FormName() != "file" || name == "" { // a field without a file
			continue
		}
		if err := form.Add(ctx, name, p); err != nil {
			return nil, 0, err
		}
	}
	taken, err = form.Commit(ctx)
	return form, taken, err
}

// formError converts the error of a form that breaks off, unless it has another cause.
func formError(err error) error {
	if _, ok := errors.AsType[*dam.Error](err); ok || errors.Is(err, share.ErrGate) {
		return err
	}
	return &readError{err}
}

func (s *Server) endHandIn(w http.ResponseWriter, r *http.Request) {
	if err := s.app.Shares.EndHandIn(r.Context(), guestKey(r)); err != nil {
		s.handInFault(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// handInTus answers a request of the tus protocol.
func (s *Server) handInTus(w http.ResponseWriter, r *http.Request, status int, answer func(context.Context) (*dam.Resumable, error)) {
	in := TusInput{Version: r.Header.Get("Tus-Resumable")}
	err := in.check()
	var u *dam.Resumable
	if err == nil {
		u, err = answer(r.Context())
	}
	if err != nil {
		s.handInFault(w, r, err)
		return
	}
	if u != nil {
		w.Header().Set("Upload-Offset", itoa(u.Received))
		w.Header().Set("Upload-Length", itoa(u.Size))
	}
	w.WriteHeader(status)
}

func (s *Server) beginHandIn(w http.ResponseWriter, r *http.Request) {
	s.handInTus(w, r, http.StatusCreated, func(ctx context.Context) (*dam.Resumable, error) {
		size, err := bytesIn(r, "Upload-Length")
		if err != nil {
			return nil, err
		}
		in := &createTusInput{Length: size, Metadata: r.Header.Get("Upload-Metadata")}
		in.Version, in.Checksum = tusVersion, r.Header.Get("Upload-Checksum")
		u, chunk, err := newTus(ctx, in)
		if err != nil {
			return nil, err
		}
		key := guestKey(r)
		if err := s.app.Shares.BeginHandIn(ctx, key, u); err != nil {
			return nil, err
		}
		w.Header().Set("Location", s.shareRoot(r)+"/tus/"+u.ID)
		if chunk == nil {
			return u, nil
		}
		more, err := s.app.Shares.AppendHandIn(ctx, key, u.ID, *chunk)
		if err != nil {
			return nil, tusError(err, chunk)
		}
		return more, nil
	})
}

func (s *Server) showHandInUpload(w http.ResponseWriter, r *http.Request) {
	s.handInTus(w, r, http.StatusOK, func(ctx context.Context) (*dam.Resumable, error) {
		return s.app.Shares.HandInUpload(ctx, guestKey(r), mux.Vars(r)["upload"])
	})
}

func (s *Server) appendHandIn(w http.ResponseWriter, r *http.Request) {
	s.handInTus(w, r, http.StatusNoContent, func(ctx context.Context) (*dam.Resumable, error) {
		offset, err := bytesIn(r, "Upload-Offset")
		if err != nil {
			return nil, err
		}
		chunk, err := tusChunk(requestOf(ctx), offset, r.Header.Get("Upload-Checksum"))
		if err != nil {
			return nil, err
		}
		if chunk == nil {
			return nil, &apiError{status: http.StatusUnsupportedMediaType, Message: "The request body must be " + tusContent + "."}
		}
		u, err := s.app.Shares.AppendHandIn(ctx, guestKey(r), mux.Vars(r)["upload"], *chunk)
		if err != nil {
			return nil, tusError(err, chunk)
		}
		return u, nil
	})
}

func (s *Server) deleteHandIn(w http.ResponseWriter, r *http.Request) {
	s.handInTus(w, r, http.StatusNoContent, func(ctx context.Context) (*dam.Resumable, error) {
		return nil, s.app.Shares.DeleteHandIn(ctx, guestKey(r), mux.Vars(r)["upload"])
	})
}

// bytesIn parses a header with a number of bytes.
func bytesIn(r *http.Request, header string) (int64, error) {
	n, err := strconv.ParseInt(r.Header.Get(header), 10, 64)
	if err != nil || n < 0 {
		return 0, dam.Errorf(dam.Malformed, "The %s header must be a number of bytes.", header)
	}
	return n, nil
}
