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
	"If %s has access to this page, we emailed an 8-digit code to it. The code is valid for 10 minutes.": "Wenn %s Zugriff auf diese " +
		"Seite hat, haben wir einen Code mit 8 Ziffern dorthin gesendet. Er gilt 10 Minuten.",
	"Another code or address": "Anderer Code oder andere Adresse",
	"Code":                    "Code",
	"If you get no email within a minute, check your spam folder or reload this page to see whether sending failed.": "Wenn nach " +
		"einer Minute keine E-Mail da ist, sehen Sie im Spam-Ordner nach. Laden Sie die Seite neu, um zu sehen, ob das Senden " +
		"fehlgeschlagen ist.",
	"Check your email": "Prüfen Sie Ihre E-Mails",
	"The code can no longer be used. Ask for another one.": "Der Code ist nicht mehr gültig. Fordern Sie einen neuen an.",
	"The code is wrong.":                           "Der Code ist falsch.",
	"The mail could not be sent. Try again later.": "Die E-Mail konnte nicht gesendet werden. Versuchen Sie es später erneut.",
	"Your address is visible to the person who shared this. We’ll email you a code to enter on the next page.": "Die Person, die dies " +
		"freigegeben hat, sieht Ihre Adresse. Wir senden Ihnen einen Code für die nächste Seite.",
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
	"The rating must be between 0 and 5.":                 "Die Bewertung muss zwischen 0 und 5 liegen.",
	"This has been changed as often as it may be.":        "Es sind keine weiteren Änderungen möglich.",
	"This share takes no more feedback.":                  "Diese Freigabe nimmt keine weiteren Rückmeldungen an.",
	"Only the person who shared this can see your picks, ratings and comments.": "Nur die Person, die dies freigegeben hat, sieht " +
		"Ihre Auswahl, Bewertungen und Kommentare.",
	"Your feedback": "Ihre Rückmeldung",
	"This file cannot be played here because its metadata cannot be removed.": "Diese Datei ist hier nicht abspielbar, weil sich ihre " +
		"Metadaten nicht entfernen lassen.",
	"This video cannot be played here because its metadata cannot be removed.": "Dieses Video ist hier nicht abspielbar, weil sich " +
		"seine Metadaten nicht entfernen lassen.",
	"Download a copy":        "Kopie herunterladen",
	"Download the file (%s)": "Datei herunterladen (%s)",
	"IIIF manifest":          "IIIF-Manifest",
	"Chapters":               "Kapitel",
	"The settings of this share do not allow playing this file.": "Die Einstellungen dieser Freigabe erlauben das Abspielen nicht.",
	"The file could not be loaded.":                              "Die Datei konnte nicht geladen werden.",
	"Loading…":                                                   "Wird geladen …",
	"Next":                                                       "Weiter",
	"Next file":                                                  "Nächste Datei",
	"Open":                                                       "Öffnen",
	"Page %d of %d":                                              "Seite %d von %d",
	"Pages":                                                      "Seiten",
	"Password":                                                   "Passwort",
	"Previous":                                                   "Zurück",
	"Previous file":                                              "Vorige Datei",
	"Saved.":                                                     "Gespeichert.",
	"Skip to content":                                            "Zum Inhalt springen",
	"Something went wrong on the server.":                        "Auf dem Server ist ein Fehler aufgetreten.",
	"Terms":                                                      "Bedingungen",
	"Terms of use":                                               "Nutzungsbedingungen",
	"This is not a valid email address.":                         "Diese E-Mail-Adresse ist ungültig.",
	"The form is not valid.":                                     "Das Formular ist ungültig.",
	"The form has expired, or your browser blocks cookies.": "Das Formular ist abgelaufen, oder Ihr Browser blockiert Cookies.",
	"The link is wrong, or the files are no longer shared.": "Der Link ist falsch, oder die Dateien sind nicht mehr freigegeben.",
	"Your name is required.":                                "Bitte geben Sie Ihren Namen an.",
	"The original is larger than this share allows.":        "Das Original ist größer, als diese Freigabe erlaubt.",
	"The original is not shared because its metadata cannot be removed.": "Das Original ist nicht freigegeben, weil sich seine " +
		"Metadaten nicht entfernen lassen.",
	"The password is wrong.":                                "Das Passwort ist falsch.",
	"There are no files at the moment.":                     "Zurzeit sind keine Dateien vorhanden.",
	"Nothing found":                                         "Nichts gefunden",
	"Too many attempts. Try again later.":                   "Zu viele Versuche. Versuchen Sie es später erneut.",
	"This address is not one that the share is for.":        "Die Freigabe gilt nicht für diese Adresse.",
	"Not available":                                         "Nicht verfügbar",
	"This page is password-protected":                       "Diese Seite ist passwortgeschützt",
	"This share has been downloaded as often as it may be.": "Das Download-Limit dieser Freigabe ist erreicht.",
	"Your address is visible to the person who shared this. It is not verified.": "Die Person, die dies freigegeben hat, sieht Ihre " +
		"Adresse. Sie wird nicht geprüft.",
	"Who are you?": "Wer sind Sie?",
	"Your name":    "Ihr Name",
	"Your name, your address and the time are recorded.": "Ihr Name, Ihre Adresse und der Zeitpunkt werden gespeichert.",
	"until": "bis",
}
