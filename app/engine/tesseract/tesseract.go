// Package tesseract reads the text in pictures with Tesseract 5, as the npm package
// tesseract.js-core 7.0.0 has it.
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
	data      string // a folder of language data that wins over what is built in; "" for none
	api       uint64 // what reads text; 0 until languages are loaded
	languages []string
}

// The modes of Tesseract (ccstruct/publictypes.h).
const (
	legacyOnly = 0 // the engine that tells which way up a page is
	lstmOnly   = 1

	segmentAuto   = 3  // a page of text
	segmentSparse = 11 // words here and there
)

// New begins an instance. Files of language data in a folder win over those built in, unless
// it is "".
func New(ctx context.Context, p *host.Program, data string) (*Engine, error) {
	m, err := host.NewEmscripten(ctx, p, names())
	if err != nil {
		return nil, err
	}
	return &Engine{m: m, data: data}, nil
}

// Size is how many bytes of memory the instance has.
func (e *Engine) Size() int64 { return int64(e.m.Memory().Size()) }

// Close ends the instance.
func (e *Engine) Close(ctx context.Context) error { return e.m.Close(ctx) }

// Look reads the text in a grey picture, which is a file in the format PGM; see readPGM. The
// answer has Words, Skew and Turn.
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

// session is the reading of one picture. After the first error nothing more is done.
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

// load gets languages ready, the likeliest first.
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

// init loads languages into an object of Tesseract.
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
		defer s.m.RemoveFile(file) // Tesseract has what it needs
	}
	var where, what uint64
	if s.err == nil {
		where, s.err = s.m.PutText(s.ctx, folder)
	}
	if s.err == nil {
		what, s.err = s.m.PutText(s.ctx, languages)
	}
	failed := s.call("Init", object, where, what, mode)
	debug.FreeOSMemory() // of what was unpacked
	if s.err == nil && int32(failed) != 0 {
		s.err = fmt.Errorf("tesseract does not read the language data of %s", languages)
	}
	s.call("free", where)
	s.call("free", what)
}

// A way is how a picture is read.
type way struct {
	segment uint64
	turn    int // degrees that the picture is turned clockwise before
}

// What is worth another look.
const (
	fewLetters  = 12   // fewer are no page
	poor        = 72.0 // per cent that Tesseract is sure of what it read
	sureOfTurn  = 1.0  // of the engine that tells which way up a page is
	muchBetter  = 1.3  // times as many letters that are sure
	leastForOSD = 8    // letters: of fewer nobody can tell which way up they are
	sideForOSD  = 1800 // pixels that are enough to tell
)

// look reads a picture as a page; if that comes to little, turned as it seems to be, and as
// words here and there.
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

// upright returns by how many degrees a picture is to be turned clockwise to be upright, 0 if
// that is not known.
func (s *session) upright(picture *image.Gray) int {
	s.call("End", s.api) // both at once take too much memory
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

// set gives an object of Tesseract a picture, turned by an angle in radians.
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
	const asItIs = 1 // of EXIF's orientations
	s.call("SetImage", object, at, uint64(w), uint64(h), 1, uint64(w), asItIs, api.EncodeF32(angle))
	s.call("SetSourceResolution", object, resolution)
	s.call("free", at)
}

// The bounds of what is read.
const (
	resolution = 300     // dots per inch that pictures are taken for: it only bounds the size of letters
	maxTSV     = 8 << 20 // bytes
)

// read reads a picture in a way.
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
