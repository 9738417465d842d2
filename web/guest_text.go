package web

import (
	"fmt"
	"net/http"

	"golang.org/x/text/language"

	"github.com/digital-asset-library/dal/app/dam"
)

// guestTexts are the texts of share pages in one language.
type guestTexts struct{ Language string }

var guestLanguages = language.NewMatcher([]language.Tag{language.English, language.German})

// textsFor returns the texts in the browser's preferred language.
func textsFor(r *http.Request) guestTexts {
	wanted, _, err := language.ParseAcceptLanguage(clip(r.Header.Get("Accept-Language"), 500))
	if err != nil || len(wanted) == 0 {
		return guestTexts{string(dam.English)}
	}
	if _, i, _ := guestLanguages.Match(wanted...); i == 1 {
		return guestTexts{string(dam.German)}
	}
	return guestTexts{string(dam.English)}
}

// T translates an English text.
func (t guestTexts) T(text string) string {
	if t.Language == string(dam.German) {
		if german, ok := guestGerman[text]; ok {
			return german
		}
		if german, ok := handInGerman[text]; ok {
			return german
		}
	}
	return text
}

func (t guestTexts) count(n int) string {
	if n == 1 {
		return t.T("1 file")
	}
	return fmt.Sprintf(t.T("%d files"), n)
}

var guestGerman = map[string]string{
	"A code with 8 digits is on its way to %s if this page is meant for that address. It can be used for 10 minutes.": "Ein Code mit " +
		"8 Ziffern ist unterwegs an %s, falls diese Seite für die Adresse gedacht ist. Er gilt 10 Minuten.",
	"Another code or address": "Anderer Code oder andere Adresse",
	"Code":                    "Code",
	"If no mail comes within a minute, look into the folder for spam, or reload this page: it says if the mail could not be sent.": "" +
		"Wenn nach einer Minute keine Mail da ist, sehen Sie im Spam-Ordner nach, oder laden Sie diese Seite neu: Sie sagt, ob die " +
		"Mail nicht gesendet werden konnte.",
	"Look into your mail": "Sehen Sie in Ihre Mails",
	"The code can no longer be used. Ask for another one.": "Der Code gilt nicht mehr. Fordern Sie einen anderen an.",
	"The code is wrong.":                           "Der Code ist falsch.",
	"The mail could not be sent. Try again later.": "Die Mail konnte nicht gesendet werden. Versuchen Sie es später noch einmal.",
	"Whoever shared this sees your address. We send a code there, to type on the next page.": "Wer dies freigegeben hat, " +
		"erfährt Ihre Adresse. Dorthin geht ein Code, den Sie auf der nächsten Seite eingeben.",
	"%1 of %2":                              "%1 von %2",
	"1 file":                                "1 Datei",
	"%d files":                              "%d Dateien",
	"All files":                             "Alle Dateien",
	"Back":                                  "Zurück",
	"Browsers cannot play this video.":      "Browser können dieses Video nicht abspielen.",
	"This video is not available.":          "Dieses Video ist nicht verfügbar.",
	"Continue":                              "Weiter",
	"Copyright":                             "Copyright",
	"Creator":                               "Urheber",
	"Download all as ZIP":                   "Alles als ZIP herunterladen",
	"Download the original (%s)":            "Original herunterladen (%s)",
	"Download the picture":                  "Bild herunterladen",
	"Email address":                         "E-Mail-Adresse",
	"I accept the terms":                    "Ich stimme den Bedingungen zu",
	"Close":                                 "Schließen",
	"Comment":                               "Kommentar",
	"Commented":                             "Kommentiert",
	"None":                                  "Keine",
	"Pick":                                  "Auswählen",
	"Rated %d of 5":                         "Mit %d von 5 bewertet",
	"Rating":                                "Bewertung",
	"Save":                                  "Speichern",
	"The comment has invisible characters.": "Der Kommentar enthält unsichtbare Zeichen.",
	"The comment may not have more than 2000 characters.": "Der Kommentar darf höchstens 2000 Zeichen haben.",
	"The name is too long, or has invisible characters.":  "Der Name ist zu lang oder enthält unsichtbare Zeichen.",
	"The rating must be between 0 and 5.":                 "Die Bewertung geht von 0 bis 5.",
	"This has been changed as often as it may be.":        "Das wurde so oft geändert, wie es geht.",
	"This share takes no more feedback.":                  "Diese Freigabe nimmt keine weiteren Rückmeldungen an.",
	"Whoever shared this sees what you pick, rate and write, and other guests do not.": "Wer dies freigegeben hat, sieht, was Sie " +
		"auswählen, bewerten und schreiben; andere Gäste sehen es nicht.",
	"Your feedback": "Ihre Rückmeldung",
	"It cannot be played here: no copy without metadata can be made of this file.": "Hier nicht abspielbar: " +
		"Von dieser Datei lässt sich keine Kopie ohne Metadaten machen.",
	"This video cannot be played here: no copy without metadata can be made of its file.": "Dieses Video ist hier nicht abspielbar: " +
		"Von seiner Datei lässt sich keine Kopie ohne Metadaten machen.",
	"Download a copy":        "Kopie herunterladen",
	"Download the file (%s)": "Datei herunterladen (%s)",
	"IIIF manifest":          "IIIF-Manifest",
	"Chapters":               "Kapitel",
	"It cannot be played here: this share does not give away the file.": "Die Datei lässt sich hier nicht abspielen, weil diese " +
		"Freigabe sie nicht herausgibt.",
	"It could not be loaded.": "Das ließ sich nicht laden.",
	"Loading…":                "Wird geladen …",
	"Next":                    "Weiter",
	"Next file":               "Nächste Datei",
	"Open":                    "Öffnen",
	"Page %d of %d":           "Seite %d von %d",
	"Pages":                   "Seiten",
	"Password":                "Passwort",
	"Previous":                "Zurück",
	"Previous file":           "Vorige Datei",
	"Saved.":                  "Gespeichert.",
	"Skip to the content":     "Zum Inhalt springen",
	"Something has gone wrong on the server.": "Auf dem Server ist etwas schiefgegangen.",
	"Terms":                              "Bedingungen",
	"Terms of use":                       "Nutzungsbedingungen",
	"This is not a valid email address.": "Das ist keine gültige E-Mail-Adresse.",
	"The form cannot be read.":           "Das Formular ist nicht lesbar.",
	"The form has expired, or the browser keeps no cookies.": "Das Formular ist abgelaufen, oder der Browser nimmt keine " +
		"Cookies an.",
	"The link is wrong, or what it led to is no longer shared.": "Der Link ist falsch, oder das, wohin er führte, ist nicht " +
		"mehr freigegeben.",
	"Your name is required.":                         "Bitte geben Sie Ihren Namen an.",
	"The original is larger than this share allows.": "Das Original ist größer, als diese Freigabe erlaubt.",
	"The original is not given away, because it may say more than it shows.": "Das Original wird nicht herausgegeben, weil es mehr " +
		"verraten kann, als es zeigt.",
	"The password is wrong.":                 "Das Passwort ist falsch.",
	"There are no files here at the moment.": "Hier sind zurzeit keine Dateien.",
	"There is nothing here":                  "Hier ist nichts",
	"There were too many attempts. Try again later.": "Das waren zu viele Versuche. Versuchen Sie es später noch " +
		"einmal.",
	"This address is not one that the share is for.": "Für diese Adresse ist die Freigabe nicht gedacht.",
	"This is not available":                          "Das ist nicht verfügbar",
	"This page is protected by a password":           "Diese Seite ist durch ein Passwort geschützt",
	"This share has been downloaded as often as it may be.": "Diese Freigabe wurde so oft heruntergeladen, wie sie es " +
		"darf.",
	"Whoever shared this sees your address. It is not verified.": "Wer dies freigegeben hat, erfährt Ihre Adresse. Sie wird " +
		"nicht geprüft.",
	"Who are you?": "Wer sind Sie?",
	"Your name":    "Ihr Name",
	"Your name, your address and the time are recorded.": "Ihr Name, Ihre Adresse und der Zeitpunkt werden " +
		"festgehalten.",
	"until": "bis",
}
