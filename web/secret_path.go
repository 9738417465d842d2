package web

import "strings"

// Pages of the browser application whose paths end with the secret of a one-time link.
const (
	SetupPage      = "/setup/"
	InvitationPage = "/invitation/"
)

// tokenLetters are the characters of share tokens.
const tokenLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// shownPath returns a path for the log and the audit log, without its secret.
func shownPath(path string) string {
	for _, page := range []string{SetupPage, InvitationPage, apiRoot + "/invitations/"} {
		if len(path) > len(page) && strings.EqualFold(path[:len(page)], page) {
			return page + "{token}"
		}
	}
	if rest, ok := strings.CutPrefix(path, iiifRoot+"s~"); ok {
		return clip(iiifRoot+"s~{token}"+rest[len(rest)-len(strings.TrimLeft(rest, tokenLetters)):], maxAuditPath)
	}
	for root, between := range map[string]string{imageRoot: "/", iiifRoot: "~"} {
		if rest, ok := strings.CutPrefix(path, root); ok {
			if gaid, signed, ok := strings.Cut(rest, between); ok {
				end := strings.IndexAny(signed+"/", "/~")
				return clip(root+clip(gaid, maxAuditPath/2)+between+"{signature}"+signed[end:], maxAuditPath)
			}
		}
	}
	for _, root := range []string{guestRoot, embedRoot} {
		if rest, ok := strings.CutPrefix(path, root); ok {
			if i := strings.IndexByte(rest, '/'); i >= 0 {
				return clip(root+"{token}"+rest[i:], maxAuditPath)
			}
			return root + "{token}"
		}
	}
	return clip(path, maxAuditPath)
}
