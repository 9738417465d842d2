package document_test

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

const (
	german    = "Die Bücher stehen über der Tür, größer als üblich."
	french    = "Le café est fermé en été à cause des élèves."
	spanish   = "¿Dónde está el niño? Mañana será otro día, señor Peña."
	swedish   = "Räksmörgås på ön, öppet varje dag utom söndagar."
	russian   = "В городской библиотеке хранятся фотографии, письма и документы о жизни города. Мы открыты каждый день."
	ukrainian = "Міська бібліотека зберігає фотографії, листи та документи про життя міста. Ми відчинені щодня, крім неділі."
	polish    = "Biblioteka przechowuje zdjęcia, listy i dokumenty. Proszę zachować ciszę w czytelni. Życzymy miłego dnia."
	turkish   = "Kütüphane fotoğrafları, mektupları ve şehir belgelerini saklar. Pazar günleri dışında her gün açığız."
	greek     = "Άνοιξη. Η βιβλιοθήκη φυλάσσει φωτογραφίες και επιστολές."
	hebrew    = "הספרייה שומרת תצלומים, מכתבים ומסמכים של העיר."
	arabic    = "تحفظ المكتبة الصور والرسائل ووثائق المدينة."
	thai      = "ห้องสมุดเก็บรักษาภาพถ่าย จดหมาย และเอกสารของเมือง"
	chinese   = "图书馆保存照片、信件和城市的文件。"
	taiwanese = "圖書館保存照片、信件和城市的文件。"
	japanish  = "図書館は写真や手紙、町の記録を保存しています。"
	koreanish = "도서관은 사진과 편지, 도시의 기록을 보관합니다."
)

var encodings = []struct {
	name string
	encoding.Encoding
	texts []string
}{
	{"UTF-8", encoding.Nop, []string{"a", "~{ plain text \x1b$B", german, russian, chinese, japanish, arabic, "é", "写"}},
	{"UTF-16", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), []string{"für", russian}},
	{"UTF-16", unicode.UTF16(unicode.BigEndian, unicode.UseBOM), []string{"für", chinese}},
	{"UTF-32", utf32.UTF32(utf32.LittleEndian, utf32.UseBOM), []string{"für", russian}},
	{"UTF-32", utf32.UTF32(utf32.BigEndian, utf32.UseBOM), []string{"für", chinese}},
	{"Windows-1252", charmap.Windows1252, []string{
		"café", "Straße", "naïve café — 5 €", "§ 5 Abs. 2 • “quoted” – it’s", "AT&T® Coca-Cola™ ©2020", "25 °C ± 1 µm, ½",
		german, french, spanish, swedish, "Þetta er íslenskur texti með þorni og eð.", "Ærø Ålborg blåbærgrød",
	}},
	{"IBM850", charmap.CodePage850, []string{"für Grüße München", german}},
	{"Windows-1251", charmap.Windows1251, []string{
		"Привет", "Это обычный русский текст", russian, ukrainian,
		"Invoice 2024-03-01\nCustomer: Иванов Пётр\nAddress: Москва, ул. Ленина 5\nTotal: 500 EUR",
		"Съешь же ещё этих мягких французских булок, да выпей чаю.",
	}},
	{"KOI8-R", charmap.KOI8R, []string{"Привет", "Это обычный текст. Москва", russian}},
	{"IBM866", charmap.CodePage866, []string{"Это обычный русский текст", russian}},
	{"ISO-8859-5", charmap.ISO8859_5, []string{"Это обычный русский текст", russian}},
	{"Windows-1250", charmap.Windows1250, []string{polish}},
	{"Windows-1253", charmap.Windows1253, []string{greek}},
	{"Windows-1254", charmap.Windows1254, []string{turkish}},
	{"Windows-1255", charmap.Windows1255, []string{hebrew}},
	{"Windows-1256", charmap.Windows1256, []string{arabic}},
	{"Windows-874", charmap.Windows874, []string{thai}},
	{"GB18030", simplifiedchinese.GBK, []string{"测试文件,编码为国标码。本京欢迎", chinese}},
	{"Big5", traditionalchinese.Big5, []string{taiwanese}},
	{"Shift_JIS", japanese.ShiftJIS, []string{"これは日本語のテキストファイルです", japanish}},
	{"EUC-JP", japanese.EUCJP, []string{japanish}},
	{"EUC-KR", korean.EUCKR, []string{koreanish}},
}

// The encoding is detected for short and long texts, plain or HTML without a declaration.
func TestDetectEncoding(t *testing.T) {
	t.Parallel()
	e := reader(t)
	for _, kind := range encodings {
		for _, words := range kind.texts {
			for _, n := range []int{1, 40} {
				lines := strings.TrimSuffix(strings.Repeat(words+"\n", n), "\n")
				data, err := kind.NewEncoder().Bytes([]byte(lines))
				if err != nil {
					t.Fatalf("%s: %q: %v", kind.name, words, err)
				}
				want := strings.ReplaceAll(lines, "\x1b", "")
				if got, err := look(e, "text", data); err != nil || got.Text != want || got.Facts["encoding"] != kind.name {
					t.Errorf("%s × %d is read as %v: %.300q, not %.300q", kind.name, n, got.Facts, got.Text, want)
				}
			}
			if strings.HasPrefix(kind.name, "UTF-32") || strings.ContainsAny(words, "&\n\x1b") {
				continue // browsers do not support UTF-32
			}
			data, err := kind.NewEncoder().Bytes([]byte("<html><head><title>T</title></head><body><p>" + words + "</p></body></html>"))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := look(e, "html", data); err != nil || got.Text != words {
				t.Errorf("a page in %s is read as %v: %.300q, not %.300q", kind.name, got.Facts, got.Text, words)
			}
		}
	}
}

// A text of unknown encoding is accepted without its text.
func TestUnknownEncoding(t *testing.T) {
	t.Parallel()
	got, err := look(reader(t), "text", []byte("\x9d\x8d\xff\x80\xfd\x81\xa0"))
	if err != nil {
		t.Fatal(err)
	}
	if reason, _ := got.Facts["text_error"].(string); got.Text != "" || got.Facts["encoding"] != nil || !strings.Contains(reason, "UTF-8") {
		t.Errorf("it is read as %q, %v", got.Text, got.Facts)
	}
}
