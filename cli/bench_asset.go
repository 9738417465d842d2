package cli

import (
	"encoding/base64"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/oklog/ulid/v2"

	"github.com/digital-asset-library/dal/app/dam"
)

// benchFile is the single file that all seeded assets share: a PNG of one pixel.
func benchFile() []byte {
	b, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk" +
		"+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
	if err != nil {
		panic(err) // cannot happen: it is a constant
	}
	return b
}

// weighted is a value and its relative frequency.
type weighted[T any] struct {
	weight int
	value  T
}

func draw[T any](rnd *rand.Rand, list []weighted[T]) T {
	sum := 0
	for _, w := range list {
		sum += w.weight
	}
	n := rnd.IntN(sum)
	for _, w := range list {
		if n -= w.weight; n < 0 {
			return w.value
		}
	}
	panic("unreachable: n is below the sum")
}

// fileKind is a type of file and the typical size of such files in bytes.
type fileKind struct {
	mime, ext string
	category  dam.FileCategory
	size      float64
}

func fileKinds() []weighted[fileKind] {
	return []weighted[fileKind]{
		{55, fileKind{"image/jpeg", "jpg", dam.CategoryImage, 3e6}},
		{12, fileKind{"image/png", "png", dam.CategoryImage, 1.5e6}},
		{5, fileKind{"image/tiff", "tif", dam.CategoryImage, 4e7}},
		{4, fileKind{"image/heic", "heic", dam.CategoryImage, 2e6}},
		{3, fileKind{"image/webp", "webp", dam.CategoryImage, 5e5}},
		{2, fileKind{"image/svg+xml", "svg", dam.CategoryImage, 4e4}},
		{7, fileKind{"video/mp4", "mp4", dam.CategoryVideo, 8e7}},
		{2, fileKind{"video/quicktime", "mov", dam.CategoryVideo, 3e8}},
		{3, fileKind{"audio/mpeg", "mp3", dam.CategoryAudio, 5e6}},
		{1, fileKind{"audio/wav", "wav", dam.CategoryAudio, 4e7}},
		{5, fileKind{"application/pdf", "pdf", dam.CategoryDocument, 8e5}},
		{1, fileKind{"application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx", dam.CategoryDocument, 9e4}},
	}
}

// The values of the fields with few distinct values.
func benchRegions() []string {
	return strings.Fields("Africa Alps Andes Arctic Asia Australia Balkans Baltic Benelux Britain California Canada Caribbean " +
		"France Germany Iberia India Italy Japan Mexico Nordics Oceania Patagonia Sahara")
}

func benchRights() []weighted[string] {
	return []weighted[string]{
		{45, "All rights reserved"}, {20, "Royalty free"}, {15, "Editorial only"}, {10, "CC BY"}, {7, "Internal use"}, {3, "Unknown"},
	}
}

func benchStatuses() []weighted[dam.WorkflowStatus] {
	return []weighted[dam.WorkflowStatus]{
		{50, dam.WorkflowApproved}, {25, dam.WorkflowDraft}, {10, dam.WorkflowInReview}, {10, dam.WorkflowArchived},
		{5, dam.WorkflowRejected},
	}
}

func benchDepartments() []string {
	return strings.Fields("Marketing Sales Press Research Design Engineering Events Legal Education Support Archive Retail")
}

func benchChannels() []string {
	return strings.Fields("web print social tv newsletter intranet exhibition packaging")
}

const (
	benchProjects = 500 // P1 to P500
	benchCreators = 2000
)

// assetMaker generates assets. The same seed generates the same assets.
type assetMaker struct {
	rnd                                     *rand.Rand
	text                                    *textMaker
	sha256                                  string
	creator, project, owner, collection     *rand.Zipf
	creators                                []string
	users                                   []int64
	hashes                                  []uint64 // of recent pictures
	kinds                                   []weighted[fileKind]
	rights                                  []weighted[string]
	statuses                                []weighted[dam.WorkflowStatus]
	regions, departments, channels, cameras []string
}

func newAssetMaker(seed uint64, sha256 string, users []int64, collections int) *assetMaker {
	rnd := rand.New(rand.NewPCG(seed, 0))
	m := &assetMaker{
		rnd: rnd, text: newTextMaker(newVocabulary(), rnd), sha256: sha256, users: users,
		kinds: fileKinds(), rights: benchRights(), statuses: benchStatuses(),
		regions: benchRegions(), departments: benchDepartments(), channels: benchChannels(),
		cameras: strings.Fields("Canon Nikon Sony Fujifilm Panasonic Leica Apple Samsung"),
	}
	for range benchCreators {
		m.creators = append(m.creators, capital(name(rnd))+" "+capital(name(rnd)))
	}
	m.creator, m.project = rand.NewZipf(rnd, 1.1, 10, benchCreators-1), rand.NewZipf(rnd, 1.1, 5, benchProjects-1)
	m.owner = rand.NewZipf(rnd, 1.2, 1, uint64(len(users)-1))
	m.collection = rand.NewZipf(rnd, 1.1, 2, uint64(max(1, collections)-1))
	return m
}

// next generates the next asset, with the given creation time.
func (m *assetMaker) next(at time.Time) *dam.Asset {
	rnd, kind := m.rnd, draw(m.rnd, m.kinds)
	a := &dam.Asset{
		GAID: dam.GAID(ulid.MustNew(ulid.Timestamp(at), randReader{rnd}).String()), Title: m.title(),
		MIMEType: kind.mime, FileCategory: kind.category, Extension: kind.ext,
		FileSize: int64(kind.size*math.Exp(rnd.NormFloat64()*0.8)) + 100, SHA256: m.sha256,
		AssetClassID: 1, WorkflowStatus: draw(rnd, m.statuses), ProcessingStatus: dam.ProcessingReady,
		OwnerID: m.users[m.owner.Uint64()], Metadata: m.metadata(),
	}
	a.CreatedByID, a.UpdatedByID = a.OwnerID, a.OwnerID
	a.OriginalFilename = m.filename(a)
	a.Keywords = dam.CleanWords(m.text.list(rnd.IntN(9)))
	if rnd.IntN(10) > 0 {
		a.Creator = m.creators[m.creator.Uint64()]
		a.Copyright = fmt.Sprintf("© %d %s", at.Year(), a.Creator)
	}
	if rnd.IntN(3) == 0 {
		a.OCRText = m.text.prose(60 + rnd.IntN(141))
	}
	m.contents(a, at)
	return a
}

// contents fills in the facts that would be read from the file.
func (m *assetMaker) contents(a *dam.Asset, at time.Time) {
	rnd := m.rnd
	switch a.FileCategory {
	case dam.CategoryDocument:
		a.PageCount = 1 + int(rnd.ExpFloat64()*12)
		return
	case dam.CategoryAudio:
		a.DurationMS = 1000 + int64(rnd.ExpFloat64()*180_000)
		return
	case dam.CategoryVideo:
		size := pick(rnd, [][2]int{{1280, 720}, {1920, 1080}, {1920, 1080}, {3840, 2160}})
		a.Width, a.Height, a.DurationMS = size[0], size[1], 1000+int64(rnd.ExpFloat64()*60_000)
	default:
		size := pick(rnd, [][2]int{
			{800, 600}, {1024, 768}, {1920, 1080}, {3000, 2000}, {4000, 3000}, {4032, 3024}, {5184, 3456}, {6000, 4000}, {8256, 5504},
		})
		if a.Width, a.Height = size[0], size[1]; rnd.IntN(4) == 0 {
			a.Width, a.Height = a.Height, a.Width
		}
		a.PHash = m.hash()
		a.AICaption = m.text.caption()
		noun := func() string { return m.text.nouns[m.text.noun.Uint64()] }
		a.AITags = dam.CleanWords([]string{noun(), noun(), noun()})
	}
	a.Colors = m.colors()
	a.ThumbHash = make([]byte, 24)
	randReader{rnd}.Read(a.ThumbHash)
	if rnd.IntN(7) > 0 {
		taken := at.Add(-time.Duration(rnd.ExpFloat64() * float64(120*24*time.Hour))).Truncate(time.Second)
		a.CaptureDate = &dam.CaptureTime{Time: taken}
		a.Technical = map[string]any{"exif": map[string]any{
			"Make": pick(rnd, m.cameras), "ISO": 100 << rnd.IntN(7), "FNumber": float64(14+rnd.IntN(90)) / 10,
			"ExposureTime": fmt.Sprintf("1/%d", 15<<rnd.IntN(8)), "FocalLength": 14 + rnd.IntN(300),
		}}
	}
}

// title generates a few words, sometimes with a number.
func (m *assetMaker) title() string {
	s := capital(strings.Join(m.text.list(2+m.rnd.IntN(4)), " "))
	if m.rnd.IntN(5) == 0 {
		s += fmt.Sprintf(" %d", 1+m.rnd.IntN(200))
	}
	return s
}

func (m *assetMaker) filename(a *dam.Asset) string {
	switch n := m.rnd.IntN(10_000); n % 4 {
	case 0:
		return fmt.Sprintf("IMG_%04d.%s", n, a.Extension)
	case 1:
		return fmt.Sprintf("DSC%05d.%s", n*7%100_000, strings.ToUpper(a.Extension))
	case 2:
		return fmt.Sprintf("%s-%02d.%s", strings.ToLower(strings.ReplaceAll(a.Title, " ", "-")), n%100, a.Extension)
	default:
		return fmt.Sprintf("%s_%s_v%d.%s", a.Metadata["project"], strings.Join(m.text.list(2), ""), n%9+1, a.Extension)
	}
}

// metadata generates the values of ten custom fields, some of which may be missing.
func (m *assetMaker) metadata() map[string]any {
	rnd := m.rnd
	v := map[string]any{
		"project": fmt.Sprintf("P%d", 1+m.project.Uint64()), "year": 2005 + rnd.IntN(21), "rights": draw(rnd, m.rights),
		"region": pick(rnd, m.regions), "department": pick(rnd, m.departments), "model_release": rnd.IntN(3) == 0,
	}
	if rnd.IntN(5) < 2 {
		v["valid_until"] = time.Date(2024, 1, 1+rnd.IntN(2500), 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	}
	if rnd.IntN(2) == 0 {
		v["cost"] = float64(rnd.IntN(500_000)) / 100
	}
	if n := rnd.IntN(4); n > 0 {
		list := slices.Clone(m.channels)
		rnd.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		v["channels"] = list[:n]
	}
	if rnd.IntN(5) == 0 {
		v["notes"] = capital(m.text.prose(5 + rnd.IntN(10)))
	}
	return v
}

// colors generates a palette of 3 to 5 colours, largest share first.
func (m *assetMaker) colors() []dam.Color {
	list := make([]dam.Color, 3+m.rnd.IntN(3))
	left := 1.0
	for i := range list {
		share := left * (0.4 + 0.3*m.rnd.Float64())
		left -= share
		list[i] = dam.Color{Hex: fmt.Sprintf("#%06x", m.rnd.IntN(1<<24)), Share: math.Round(share*1000) / 1000}
	}
	return list
}

// hash generates a perceptual hash. One in 50 differs in only a few bits from that of
// another picture.
func (m *assetMaker) hash() uint64 {
	h := m.rnd.Uint64() | 1
	if len(m.hashes) > 0 && m.rnd.IntN(50) == 0 {
		h = pick(m.rnd, m.hashes)
		for range 1 + m.rnd.IntN(4) {
			h ^= 1 << m.rnd.IntN(64)
		}
	}
	if len(m.hashes) < 1000 {
		m.hashes = append(m.hashes, h)
	} else {
		m.hashes[m.rnd.IntN(len(m.hashes))] = h
	}
	return h
}

// memberships draws the indexes of the 0 to 3 collections of an asset.
func (m *assetMaker) memberships() (list []int) {
	for range draw(m.rnd, []weighted[int]{{35, 0}, {40, 1}, {18, 2}, {7, 3}}) {
		if c := int(m.collection.Uint64()); !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	return list
}

// randReader reads random bytes. The same seed generates the same bytes.
type randReader struct{ rnd *rand.Rand }

func (r randReader) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(r.rnd.Uint32())
	}
	return len(p), nil
}

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
