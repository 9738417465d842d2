package tesseract

import (
	"slices"
	"strings"

	"github.com/digital-asset-library/dal/app/engine"
)

// common returns the most common short words of a language that are rare in others, "" for
// an unsupported language.
func common(language string) string {
	switch language {
	case "deu":
		return "der die das und ist nicht ein eine mit auf dem den des zu sich von auch für wird im"
	case "eng":
		return "the and of is that with for this are was from you have it be not or by which"
	case "fra":
		return "le les des et est une que dans pour qui sur pas avec au ce du par il vous"
	case "ita":
		return "il di che per una del non sono con della gli le è da nel alla si"
	case "nld":
		return "de het een van en niet dat op te zijn met voor aan door ook wordt"
	case "por":
		return "o os uma não que para com do da em dos por mais as se ao"
	case "spa":
		return "el los una que para con por las del se no es su al más como"
	}
	return ""
}

// likeliest moves the most likely language of the words to the front. It returns the
// languages unchanged if the words are not conclusive.
func likeliest(words []engine.Word, languages []string) []string {
	best, most := 0, 0
	for i, l := range languages {
		known, n := strings.Fields(common(l)), 0
		for _, w := range words {
			if slices.Contains(known, strings.ToLower(strings.Trim(w.Text, ".,;:!?\"'()"))) {
				n++
			}
		}
		if n > most+most/4 {
			best, most = i, n
		}
	}
	if most < 3 || best == 0 {
		return languages
	}
	return append([]string{languages[best]}, slices.Delete(slices.Clone(languages), best, best+1)...)
}
