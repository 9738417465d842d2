package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"github.com/digital-asset-library/dal/app/dam"
)

// shown makes a text that others have written fit for a terminal: in one line,
// control characters and invisible ones escaped. All that is printed of names,
// paths, reasons and the like goes through it.
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

// shownLines is shown for a text of several lines.
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

// printJSON writes v as indented JSON, which hides nothing from a terminal
// either.
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
