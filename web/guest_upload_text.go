package web

// scriptTexts returns the texts of the guest upload script.
func (t guestTexts) scriptTexts() map[string]string {
	texts := map[string]string{
		"waiting": "Waiting", "sending": "Being sent: %d %", "broken": "Interrupted. It goes on by itself.",
		"failed": "It could not be sent.", "again": "Try again", "cancel": "Cancel", "remove": "Remove",
		"gone":     "This page takes no more files.",
		"progress": "%1 of %2 files are sent.", "all": "All files are uploaded and being checked.", "some": "Not taken: %d.",
		"accepted": "All files were accepted.", "refused": "%1 of %2 files were refused.",
		"choose": "Choose a file first.", "sent": "Sent",
	}
	for key, text := range texts {
		texts[key] = t.T(text)
	}
	return texts
}

var handInGerman = map[string]string{
	"%1 of %2 files are sent.":                         "%1 von %2 Dateien sind gesendet.",
	"%d %% have come. Choose the file again to go on.": "%d %% sind da. Wählen Sie die Datei noch einmal, um fortzufahren.",
	"Not taken: %d.":                                   "Nicht angenommen: %d.",
	"A file can have %s at most.":                      "Eine Datei darf höchstens %s groß sein.",
	"Accepted":                                         "Angenommen",
	"%1 of %2 files were refused.":                     "%1 von %2 Dateien wurden abgelehnt.",
	"All files are uploaded and being checked.":        "Alle Dateien sind hochgeladen und werden geprüft.",
	"All files were accepted.":                         "Alle Dateien wurden angenommen.",
	"Audio":                                            "Ton",
	"Being checked":                                    "Wird geprüft",
	"Being sent":                                       "Wird gesendet",
	"Being sent: %d %":                                 "Wird gesendet: %d %",
	"Cancel":                                           "Abbrechen",
	"Choose a file first.":                             "Wählen Sie zuerst eine Datei.",
	"Choose files, or drop them here":                  "Dateien auswählen oder hierher ziehen",
	"Document":                                         "Dokumente",
	"Files of this kind are not taken here.":           "Solche Dateien werden hier nicht angenommen.",
	"Hand in":                                          "Abgeben",
	"Hand your files in here. Other guests do not see them.": "Geben Sie hier Ihre Dateien ab. Andere Gäste sehen sie nicht.",
	"Image":                              "Bilder",
	"Interrupted. It goes on by itself.": "Unterbrochen. Es geht von selbst weiter.",
	"It could not be checked. Please hand it in again.": "Sie ließ sich nicht prüfen. Bitte geben Sie sie noch einmal ab.",
	"It could not be sent.":                             "Sie ließ sich nicht senden.",
	"It takes too much time or memory to read.":         "Das Lesen braucht zu viel Zeit oder Speicher.",
	"It was cancelled.":                                 "Sie wurde abgebrochen.",
	"No more than %d files can be handed in here.":      "Hier können nicht mehr als %d Dateien abgegeben werden.",
	"No more than %s can be handed in here.":            "Hier können nicht mehr als %s abgegeben werden.",
	"Nothing yet.":                                      "Noch nichts.",
	"Only %s":                                           "Nur %s",
	"Only files that end in %s":                         "Nur Dateien, die auf %s enden",
	"Open the page again to go on.":                     "Öffnen Sie die Seite neu, um fortzufahren.",
	"Received":                                          "Eingegangen",
	"Refused: %s":                                       "Abgelehnt: %s",
	"Remove":                                            "Entfernen",
	"Sent":                                              "Gesendet",
	"The file is damaged.":                              "Die Datei ist beschädigt.",
	"The file is empty.":                                "Die Datei ist leer.",
	"The file is too large.":                            "Die Datei ist zu groß.",
	"The virus scanner has found something in it.":      "Der Virenscanner hat darin etwas gefunden.",
	"These files were not taken:":                       "Nicht angenommen:",
	"This page takes no more files.":                    "Diese Seite nimmt keine Dateien mehr an.",
	"Too many forms come at once. Try again later.":     "Zu viele Formulare auf einmal. Versuchen Sie es später noch einmal.",
	"Too many uploads have been started without sending data. Try again later.": "Zu viele Uploads wurden begonnen, ohne Daten zu senden. " +
		"Versuchen Sie es später noch einmal.",
	"Try again":                          "Noch einmal",
	"Up to %d files, %s in all, %s each": "Bis zu %d Dateien, zusammen %s, je Datei %s",
	"Video":                              "Video",
	"Waiting":                            "Wartet",
	"What you have handed in":            "Was Sie abgegeben haben",
}
