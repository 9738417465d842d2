package web

// scriptTexts returns the texts of the guest upload script.
func (t guestTexts) scriptTexts() map[string]string {
	texts := map[string]string{
		"waiting": "Waiting", "sending": "Uploading: %d%", "broken": "Interrupted. Resuming automatically.",
		"failed": "The file could not be uploaded.", "again": "Try again", "cancel": "Cancel", "remove": "Remove",
		"gone":     "This page no longer accepts files.",
		"progress": "%1 of %2 files uploaded.", "all": "All files uploaded. Checking…", "some": "Rejected: %d.",
		"accepted": "All files were accepted.", "refused": "%1 of %2 files were rejected.",
		"choose": "Choose a file first.", "sent": "Uploaded",
	}
	for key, text := range texts {
		texts[key] = t.T(text)
	}
	return texts
}

var handInGerman = map[string]string{
	"%1 of %2 files uploaded.":                        "%1 von %2 Dateien hochgeladen.",
	"%d%% received. Select the file again to resume.": "%d %% empfangen. Wählen Sie die Datei erneut aus, um fortzufahren.",
	"Rejected: %d.":                                   "Abgelehnt: %d.",
	"A file can be up to %s.":                         "Eine Datei darf höchstens %s groß sein.",
	"Accepted":                                        "Angenommen",
	"%1 of %2 files were rejected.":                   "%1 von %2 Dateien wurden abgelehnt.",
	"All files uploaded. Checking…":                   "Alle Dateien hochgeladen. Prüfung läuft …",
	"All files were accepted.":                        "Alle Dateien wurden angenommen.",
	"Audio":                                           "Audio",
	"Checking":                                        "Wird geprüft",
	"Uploading":                                       "Wird hochgeladen",
	"Uploading: %d%":                                  "Wird hochgeladen: %d %",
	"Cancel":                                          "Abbrechen",
	"Choose a file first.":                            "Wählen Sie zuerst eine Datei.",
	"Choose files or drop them here":                  "Dateien auswählen oder hierher ziehen",
	"Document":                                        "Dokumente",
	"Files of this type are not accepted.":            "Dateien dieses Typs werden nicht angenommen.",
	"Upload":                                          "Hochladen",
	"Upload your files here. Other guests cannot see them.": "Laden Sie hier Ihre Dateien hoch. Andere Gäste sehen sie nicht.",
	"Image":                                "Bilder",
	"Interrupted. Resuming automatically.": "Unterbrochen. Wird automatisch fortgesetzt.",
	"The file could not be checked. Please upload it again.": "Die Datei konnte nicht geprüft werden. Bitte laden Sie sie erneut hoch.",
	"The file could not be uploaded.":                        "Die Datei konnte nicht hochgeladen werden.",
	"Reading the file takes too much time or memory.":        "Das Lesen der Datei braucht zu viel Zeit oder Speicher.",
	"The upload was cancelled.":                              "Der Upload wurde abgebrochen.",
	"You can upload up to %d files.":                         "Sie können bis zu %d Dateien hochladen.",
	"You can upload up to %s.":                               "Sie können bis zu %s hochladen.",
	"No uploads yet.":                                        "Noch keine Uploads.",
	"Only %s":                                                "Nur %s",
	"File extensions: %s":                                    "Dateiendungen: %s",
	"Reload the page to continue.":                           "Laden Sie die Seite neu, um fortzufahren.",
	"Received":                                               "Eingegangen",
	"Rejected: %s":                                           "Abgelehnt: %s",
	"Remove":                                                 "Entfernen",
	"Uploaded":                                               "Hochgeladen",
	"The file is damaged.":                                   "Die Datei ist beschädigt.",
	"The file is empty.":                                     "Die Datei ist leer.",
	"The file is too large.":                                 "Die Datei ist zu groß.",
	"The virus scanner found a threat.":                      "Der Virenscanner hat eine Bedrohung gefunden.",
	"These files were not accepted:":                         "Nicht angenommen:",
	"This page no longer accepts files.":                     "Diese Seite nimmt keine Dateien mehr an.",
	"Too many forms come at once. Try again later.":          "Zu viele Uploads gleichzeitig. Versuchen Sie es später erneut.",
	"Too many uploads have been started without sending data. Try again later.": "Zu viele Uploads wurden begonnen, ohne Daten zu " +
		"senden. Versuchen Sie es später erneut.",
	"Try again":                            "Erneut versuchen",
	"Up to %d files, %s in total, %s each": "Bis zu %d Dateien, insgesamt %s, je Datei %s",
	"Video":                                "Video",
	"Waiting":                              "Wartet",
	"Your uploads":                         "Ihre Uploads",
}
