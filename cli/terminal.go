package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"github.com/digital-asset-library/dal/app/dam"
)

// shown makes untrusted text safe for a terminal: on one line, with control and invisible
// characters escaped. All names, paths, reasons and the like are printed through it.
func shown(s string) string {
	return dam.ReplaceHidden(s, func(r rune) string {
		switch {
		case r == '\n':
			return `\n`
		case r == '\t':
			return `\t`
		case r < 0x80:
			return fmt.Sprintf(`\x%02x`, r)
		case r < 0x10000:
			return fmt.Sprintf(`\u%04x`, r)
		}
		return fmt.Sprintf(`\U%08x`, r)
	})
}

// shownLines is shown for text of several lines.
func shownLines(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		text, end := strings.CutSuffix(line, "\n")
		if b.WriteString(shown(text)); end {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// printJSON writes v as indented JSON that is also safe for a terminal.
func printJSON(w io.Writer, v any) error {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, dam.ReplaceHidden(b.String(), func(r rune) string {
		switch {
		case r == '\n':
			return "\n"
		case r < 0x10000:
			return fmt.Sprintf(`\u%04x`, r)
		}
		high, low := utf16.EncodeRune(r)
		return fmt.Sprintf(`\u%04x\u%04x`, high, low)
	}))
	return err
}
