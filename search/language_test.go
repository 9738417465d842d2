package search_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/search"
)

// openIn opens an engine for a language.
func openIn(t *testing.T, dir, language string, l *library) *search.Engine {
	t.Helper()
	e, err := search.OpenIn(t.Context(), dir, language, l, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// In each language, ten queries find other forms of their words, and stop words count
// only by themselves.
func TestLanguages(t *testing.T) {
	t.Parallel()
	for language, tt := range map[string]struct {
		titles  []string
		queries [][2]string
	}{
		"en": {[]string{"the running dogs", "women in the harbours", "a baby's smile", "cities at night", "flying kites"}, [][2]string{
			{"dog ", "1"}, {"run ", "1"}, {"harbour ", "2"}, {"woman ", "2"}, {"babies ", "3"}, {"smiling ", "3"}, {"city ", "4"},
			{"nights ", "4"}, {"kite ", "5"}, {"the dog ", "1"}}},
		"da": {[]string{"hundene løber", "både i havnen", "en gammel bil", "husene ved søen", "børn og blomster"}, [][2]string{
			{"hund ", "1"}, {"hunden ", "1"}, {"havn ", "2"}, {"havne ", "2"}, {"biler ", "3"}, {"bils ", "3"}, {"hus ", "4"},
			{"blomst ", "5"}, {"blomsterne ", "5"}, {"og hund ", "1"}}},
		"de": {[]string{"die Häuser am See", "Kinder im Garten", "alte Bücher", "der Hafen im Winter", "Frauen und Männer"}, [][2]string{
			{"haus ", "1"}, {"Haeuser ", "1"}, {"hauser ", "1"}, {"Häusern ", "1"}, {"kind ", "2"}, {"Gärten ", "2"}, {"buch ", "3"},
			{"Frau ", "5"}, {"mann ", "5"}, {"die kind ", "2"}}},
		"es": {[]string{"los perros negros", "una niña feliz", "ciudades de España", "las flores rojas y una roja", "el corazón"}, [][2]string{
			{"perro ", "1"}, {"negra ", "1"}, {"niñas ", "2"}, {"nina ", "2"}, {"ciudad ", "3"}, {"flor ", "4"}, {"Roja ", "4"},
			{"corazones ", "5"}, {"corazon ", "5"}, {"los niña ", "2"}}},
		"fr": {[]string{"les chevaux blancs", "l'école des garçons", "un château", "des journaux", "la forêt enneigée"}, [][2]string{
			{"cheval ", "1"}, {"blanc ", "1"}, {"écoles ", "2"}, {"ecole ", "2"}, {"garcon ", "2"}, {"châteaux ", "3"}, {"chateau ", "3"},
			{"journal ", "4"}, {"forêts ", "5"}, {"les château ", "3"}}},
		"it": {[]string{"i gatti neri", "le barche nel porto", "un'amica", "montagne innevate", "le città"}, [][2]string{
			{"gatto ", "1"}, {"nero ", "1"}, {"barca ", "2"}, {"porti ", "2"}, {"amiche ", "3"}, {"amica ", "3"}, {"montagna ", "4"},
			{"citta ", "5"}, {"città ", "5"}, {"le gatto ", "1"}}},
		"nl": {[]string{"de honden lopen", "boten in de haven", "oude huizen", "bloemen en bomen", "twee katten"}, [][2]string{
			{"hond ", "1"}, {"boot ", "2"}, {"havens ", "2"}, {"huizen ", "3"}, {"bloem ", "4"}, {"boom ", "4"}, {"kat ", "5"},
			{"oud ", "3"}, {"lopend ", "1"}, {"de kat ", "5"}}},
		"pt": {[]string{"os cães pretos", "corações e flores", "uma menina feliz", "barcos no porto", "as cidades"}, [][2]string{
			{"preto ", "1"}, {"preta ", "1"}, {"cães ", "1"}, {"coração ", "2"}, {"flor ", "2"}, {"meninas ", "3"}, {"felizes ", "3"},
			{"barco ", "4"}, {"cidade ", "5"}, {"os barco ", "4"}}},
		"ru": {[]string{"чёрные кошки", "лодки в гавани", "старые дома", "зимний лес", "красивые девушки"}, [][2]string{
			{"кошка ", "1"}, {"черная ", "1"}, {"лодка ", "2"}, {"гавань ", "2"}, {"дом ", "3"}, {"старый ", "3"}, {"зимнего ", "4"},
			{"леса ", "4"}, {"девушка ", "5"}, {"в кошка ", "1"}}},
		"sv": {[]string{"hundarna springer", "båtar i hamnen", "ett rött hus", "blommorna på ängen", "gamla bilar"}, [][2]string{
			{"hund ", "1"}, {"hundar ", "1"}, {"båt ", "2"}, {"baatar ", "2"}, {"hamn ", "2"}, {"husen ", "3"}, {"blomma ", "4"},
			{"ängar ", "4"}, {"bil ", "5"}, {"på hund ", "1"}}},
		"tr": {[]string{"siyah kediler", "İstanbul'da evler", "çocukların bahçesi", "kitaplar", "IŞIK ve ağaçlar"}, [][2]string{
			{"kedi ", "1"}, {"kedinin ", "1"}, {"istanbul ", "2"}, {"İstanbul ", "2"}, {"ev ", "2"}, {"çocuk ", "3"}, {"kitap ", "4"},
			{"ışık ", "5"}, {"ağaç ", "5"}, {"ve kedi ", "1"}}},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			l := newLibrary()
			for i, title := range tt.titles {
				l.put(asset(int64(i+1), title))
			}
			e := openIn(t, t.TempDir(), language, l)
			defer e.Close()
			wants(t, e, tt.queries)
			if len(tt.queries) != 10 {
				t.Errorf("%d queries", len(tt.queries))
			}
		})
	}
	if n := len(search.Languages()); n != 11 {
		t.Errorf("%d languages", n)
	}
}

// Changing the language rebuilds the index automatically, while the old one answers.
func TestLanguageChanged(t *testing.T) {
	t.Parallel()
	l, dir := newLibrary(), t.TempDir()
	l.put(asset(1, "Häuser am See"), asset(2, "ein Haus"))
	e := openIn(t, dir, search.English, l)
	wants(t, e, [][2]string{{"haus ", "2"}, {"häuser ", "1"}})
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	read := l.read
	e = openIn(t, dir, "de", l)
	defer func() { e.Close() }()
	wants(t, e, [][2]string{{"haus ", "2"}, {"häuser ", "1"}}) // the old index, immediately
	if l.read != read {
		t.Errorf("%d documents were read before the index was built", l.read-read)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.Run(ctx)
	}()
	for find(t, e, dam.Query{Text: "haus "}).Total != 2 {
		select {
		case <-t.Context().Done():
			t.Fatal("the index was not built anew")
		case <-time.After(time.Millisecond):
		}
	}
	l.put(asset(3, "Haus und Hof"))
	wants(t, e, [][2]string{{"häuser ", "1 2 3"}})
	cancel()
	<-done
	if list, err := filepath.Glob(filepath.Join(dir, "text-*")); err != nil || len(list) != 1 {
		t.Errorf("there are the indexes %v, %v", list, err)
	}
	read = l.read
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = openIn(t, dir, "", l) // uses the language of the index
	wants(t, e, [][2]string{{"häuser ", "1 2 3"}})
	if l.read != read {
		t.Errorf("%d documents were read again", l.read-read)
	}
}
