package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows the progress of a long task: a bar on a terminal, otherwise a line every
// 10 seconds.
type progress struct {
	w    io.Writer
	what string
	bar  *progressbar.ProgressBar
	next time.Time
}

func newProgress(w io.Writer, what string) *progress {
	p := &progress{w: w, what: what}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bar = progressbar.NewOptions64(-1,
			progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(what),
			progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true), progressbar.OptionFullWidth(),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	return p
}

func (p *progress) set(done, total int64) {
	if p.bar != nil {
		if p.bar.GetMax64() != total {
			p.bar.ChangeMax64(total)
		}
		p.bar.Set64(done) // an error only means that it is not drawn
		return
	}
	if now := time.Now(); now.After(p.next) {
		if !p.next.IsZero() {
			fmt.Fprintf(p.w, "%s: %d of %d\n", p.what, done, total)
		}
		p.next = now.Add(10 * time.Second)
	}
}

func (p *progress) end() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
