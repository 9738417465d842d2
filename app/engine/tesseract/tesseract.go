// Package tesseract recognizes text in pictures with Tesseract 5 from the npm package
// tesseract.js-core 7.0.0.
package tesseract

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero/api"

	"github.com/digital-asset-library/dal/app/engine"
	"github.com/digital-asset-library/dal/app/engine/host"
	"github.com/digital-asset-library/dal/app/engine/language"
)

// Engine is an instance of Tesseract.
type Engine struct {
	m         *host.Emscripten
	data      string // folder of language data that overrides the built-in data; "" for none
	api       uint64 // recognition object; 0 until languages are loaded
	languages []string
}

// The modes of Tesseract (ccstruct/publictypes.h).
const (
	legacyOnly = 0 // the engine for detecting the page orientation
	lstmOnly   = 1

	segmentAuto   = 3  // a page of text
	segmentSparse = 11 // scattered words
)

// New starts an instance. Language data in the folder data overrides the built-in data,
// unless data is "".
func New(ctx context.Context, p *host.Program, data string) (*Engine, error) {
	m, err := host.NewEmscripten(ctx, p, names())
	if err != nil {
		return nil, err
	}
	return &Engine{m: m, data: data}, nil
}

// Size returns the memory of the instance in bytes.
func (e *Engine) Size() int64 { return int64(e.m.Memory().Size()) }

// Close ends the instance.
func (e *Engine) Close(ctx context.Context) error { return e.m.Close(ctx) }

// Look recognizes the text in a grayscale PGM picture; see readPGM. The result contains
// Words, Skew and Turn.
func (e *Engine) Look(ctx context.Context, j engine.Job, file io.Reader) (*engine.Look, error) {
	picture, err := readPGM(file, j.Pixels)
	if err != nil {
		return nil, err
	}
	s := &session{Engine: e, ctx: ctx}
	if len(j.Languages) == 0 {
		return nil, errors.New("no language is named")
	}
	s.load(j.Languages)
	look := s.look(picture)
	return look, s.err
}

// session is the reading of one picture. After the first error, calls have no effect.
type session struct {
	*Engine
	ctx context.Context //nolint:containedctx // a session is a call
	err error
}

func (s *session) call(name string, args ...uint64) (v uint64) {
	if s.err == nil {
		v, s.err = s.m.Call(s.ctx, name, args...)
	}
	return v
}

// load loads languages, most likely first.
func (s *session) load(languages []string) {
	if slices.Equal(s.languages, languages) && s.api != 0 {
		return
	}
	if s.api != 0 {
		s.call("End", s.api)
	} else {
		s.api = s.call("TessBaseAPI")
	}
	s.init(s.api, strings.Join(languages, "+"), lstmOnly)
	s.languages = slices.Clone(languages)
}

// init loads languages into a Tesseract object.
func (s *session) init(object uint64, languages string, mode uint64) {
	const folder = "/"
	for name := range strings.SplitSeq(languages, "+") {
		if s.err != nil {
			return
		}
		var data []byte
		if data, s.err = language.Open(name, s.data); s.err != nil {
			return
		}
		file := folder + name + ".traineddata"
		s.m.AddFile(file, data)
		defer s.m.RemoveFile(file) // Tesseract has loaded it
	}
	var where, what uint64
	if s.err == nil {
		where, s.err = s.m.PutText(s.ctx, folder)
	}
	if s.err == nil {
		what, s.err = s.m.PutText(s.ctx, languages)
	}
	failed := s.call("Init", object, where, what, mode)
	debug.FreeOSMemory() // returns the memory of the decompressed data
	if s.err == nil && int32(failed) != 0 {
		s.err = fmt.Errorf("tesseract does not read the language data of %s", languages)
	}
	s.call("free", where)
	s.call("free", what)
}

// A way is a mode of reading a picture.
type way struct {
	segment uint64
	turn    int // clockwise rotation of the picture before reading, in degrees
}

// The criteria for reading a picture again.
const (
	fewLetters  = 12   // a page has more
	poor        = 72.0 // Tesseract's confidence in percent
	sureOfTurn  = 1.0  // confidence of the orientation detection
	muchBetter  = 1.3  // ratio of confident letters
	leastForOSD = 8    // minimum number of letters for detecting the orientation
	sideForOSD  = 1800 // pixels that are sufficient for detecting the orientation
)

// look reads a picture as a page. If the result is poor, it also tries the detected
// orientation and scattered words.
func (s *session) look(picture *image.Gray) *engine.Look {
	original := picture.Rect
	picture = enlarged(evenLight(picture))
	best := s.read(picture, way{segment: segmentAuto})
	if best.letters > 0 && best.mean() < poor && best.all >= leastForOSD {
		if turn := s.upright(picture); turn != 0 {
			if r := s.read(turned(picture, turn), way{segmentAuto, turn}); r.sure > muchBetter*best.sure {
				best = r
			}
		}
	}
	if likely := likeliest(best.words, s.languages); !slices.Equal(likely, s.languages) {
		s.load(likely)
		if r := s.read(turned(picture, best.turn), way{segmentAuto, best.turn}); r.sure > best.sure {
			best = r
		}
	}
	if best.sure < fewLetters {
		if r := s.read(picture, way{segment: segmentSparse}); r.sure > best.sure {
			best = r
		}
	}
	if s.err != nil {
		return nil
	}
	return &engine.Look{
		Width: original.Dx(), Height: original.Dy(), Turn: best.turn, Skew: best.skew, Words: best.kept(),
		Facts: map[string]any{"language": s.languages[0]},
	}
}

// upright returns the clockwise rotation that makes a picture upright, in degrees; 0 if
// unknown.
func (s *session) upright(picture *image.Gray) int {
	s.call("End", s.api) // both together take too much memory
	languages := s.languages
	s.languages = nil
	defer s.load(languages)
	picture = reduced(picture, sideForOSD)
	object := s.call("TessBaseAPI")
	s.init(object, language.Orientation, legacyOnly)
	s.set(object, picture, 0)
	results := s.call("OSResults")
	found := s.call("DetectOS", object, results)
	best := s.call("get_best_result", results)
	orientation := s.call("get_orientation_id", best)
	sure := api.DecodeF32(s.call("get_oconfidence", best))
	s.call("destroyOSResults", results)
	s.call("End", object)
	s.call("destroy", object)
	if s.err != nil || found == 0 || !(sure > sureOfTurn) || orientation > 3 {
		return 0
	}
	return int(360-90*orientation) % 360
}

// set passes a picture to a Tesseract object, rotated by an angle in radians.
func (s *session) set(object uint64, picture *image.Gray, angle float32) {
	w, h := picture.Rect.Dx(), picture.Rect.Dy()
	at := s.call("malloc", uint64(w*h))
	if s.err == nil && at == 0 {
		s.err = &engine.Fault{Reason: engine.Exceeded, Text: "no memory for the picture"}
	}
	if s.err != nil {
		return
	}
	var to []byte
	if to, s.err = s.m.Bytes(at, uint64(w*h)); s.err != nil {
		return
	}
	for y := range h {
		copy(to[y*w:(y+1)*w], picture.Pix[y*picture.Stride:])
	}
	const asItIs = 1 // EXIF orientation
	s.call("SetImage", object, at, uint64(w), uint64(h), 1, uint64(w), asItIs, api.EncodeF32(angle))
	s.call("SetSourceResolution", object, resolution)
	s.call("free", at)
}

// The limits of reading.
const (
	resolution = 300     // assumed dots per inch: only limits the size of letters
	maxTSV     = 8 << 20 // bytes
)

// read reads a picture in the given mode.
func (s *session) read(picture *image.Gray, w way) *reading {
	r := &reading{turn: w.turn}
	if w.segment == segmentAuto {
		r.skew = skewOf(picture)
	}
	s.call("SetPageSegMode", s.api, w.segment)
	s.set(s.api, picture, float32(r.skew))
	code := s.call("Recognize", s.api, 0)
	if s.err == nil && int32(code) != 0 {
		s.err = errors.New("tesseract gives up")
	}
	at := s.call("GetTSVText", s.api, 0)
	if s.err == nil && at != 0 {
		r.parse(s.m.LongText(at, maxTSV), place{picture.Rect.Dx(), picture.Rect.Dy(), r.skew, w.turn})
		s.call("free", at)
	}
	s.call("Clear", s.api)
	return r
}
