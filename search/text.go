package search

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
)

// textVersion identifies the format of indexed documents: a number that is incremented
// when it changes, and the fields. Indexes of another version are discarded.
func textVersion() string {
	version := "5"
	for _, f := range textFields() {
		version += " " + f.name
	}
	return version
}

// newMapping returns a mapping without fields, because documents are passed to Bleve
// fully analyzed.
func newMapping() mapping.IndexMapping {
	m := bleve.NewIndexMapping()
	m.DefaultMapping = bleve.NewDocumentStaticMapping()
	return m
}

// textIndex is a Bleve index of all assets, and its position in the sequence of changes.
// Both are written together.
type textIndex struct {
	index    bleve.Index
	analyzer *analyzer
	path     string
	done     atomic.Int64 // the latest change indexed

	mu     sync.Mutex // held while following
	states indexStates

	// Empty docs and matches for searchers: with a million assets they are several
	// megabytes each.
	spare, spareMatches sync.Pool
}

// Keys of the values that the index stores in addition to documents.
const (
	keySeq      = "seq"
	keyVersion  = "version"
	keyLanguage = "language"
	keyComplete = "complete"
)

// openText opens the newest usable index in dir and removes all others. An index is not
// usable if it cannot be opened, is of another version or has changes after last, which
// the library does not have. Without a usable index, an empty one is created. An index
// for another language is usable.
func openText(dir, language string, last int64, log *slog.Logger) (*textIndex, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	paths, err := indexFiles(dir, "text-")
	if err != nil {
		return nil, err
	}
	paths = slices.DeleteFunc(paths, func(path string) bool { return generation(path) == 0 }) // not ours
	slices.SortFunc(paths, func(a, b string) int { return generation(b) - generation(a) })
	var usable *textIndex
	for _, path := range paths {
		if usable == nil {
			t, err := tryOpen(path, last)
			if err == nil {
				usable = t
				continue
			}
			log.Warn("rebuilding the text index", "index", filepath.Base(path), "because", err)
		}
		if err := os.RemoveAll(path); err != nil {
			return nil, err
		}
	}
	if usable != nil {
		return usable, nil
	}
	t, err := createText(dir, language)
	if err != nil {
		return nil, err
	}
	return t, t.complete()
}

// indexFiles returns the paths of the entries of dir whose names begin with prefix. The
// name of dir itself may contain any characters.
func indexFiles(dir, prefix string) ([]string, error) {
	paths, err := fs.Glob(os.DirFS(dir), prefix+"*")
	for i, name := range paths {
		paths[i] = filepath.Join(dir, name)
	}
	return paths, err
}

// generation returns the number in an index's name, 0 for other names.
func generation(path string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(filepath.Base(path), "text-"))
	return n
}

func tryOpen(path string, last int64) (*textIndex, error) {
	ix, err := bleve.OpenUsing(path, map[string]any{"bolt_timeout": "2s"})
	if err != nil {
		return nil, err
	}
	t := &textIndex{index: ix, path: path}
	version, err1 := ix.GetInternal([]byte(keyVersion))
	complete, err2 := ix.GetInternal([]byte(keyComplete))
	seq, err3 := ix.GetInternal([]byte(keySeq))
	language, err4 := ix.GetInternal([]byte(keyLanguage))
	err = errors.Join(err1, err2, err3, err4)
	if len(seq) == 8 {
		t.done.Store(int64(binary.BigEndian.Uint64(seq)))
	}
	switch {
	case err != nil:
	case string(version) != textVersion():
		err = fmt.Errorf("it has version %q and this dal writes %q", version, textVersion())
	case len(complete) == 0:
		err = errors.New("its building was interrupted")
	case t.done.Load() > last:
		err = errors.New("it knows more changes than the library has")
	default:
		if t.analyzer, err = newAnalyzer(string(language)); err == nil {
			return t, nil
		}
	}
	return nil, errors.Join(err, ix.Close())
}

// createText creates an empty index in dir, not yet complete.
func createText(dir, language string) (*textIndex, error) {
	a, err := newAnalyzer(language)
	if err != nil {
		return nil, err
	}
	paths, err := indexFiles(dir, "text-")
	if err != nil {
		return nil, err
	}
	n := 1
	for _, p := range paths {
		n = max(n, generation(p)+1)
	}
	path := filepath.Join(dir, fmt.Sprintf("text-%d", n))
	ix, err := bleve.New(path, newMapping())
	if err != nil {
		return nil, err
	}
	t := &textIndex{index: ix, analyzer: a, path: path}
	return t, errors.Join(ix.SetInternal([]byte(keyVersion), []byte(textVersion())), ix.SetInternal([]byte(keyLanguage), []byte(language)))
}

// complete marks the index as usable after a restart.
func (t *textIndex) complete() error { return t.index.SetInternal([]byte(keyComplete), []byte("1")) }

func (t *textIndex) close() error { return t.index.Close() }

// remove closes and deletes the index.
func (t *textIndex) remove() error { return errors.Join(t.close(), os.RemoveAll(t.path)) }

func joinRemove(err error, t *textIndex) error { return errors.Join(err, t.remove()) }

func (t *textIndex) seq() int64 { return t.done.Load() }

// docID returns the name of an asset's document: its row number, big-endian.
func docID(id int64) string { return string(binary.BigEndian.AppendUint32(nil, uint32(id))) }

// follow indexes the next changes and returns their number.
func (t *textIndex) follow(ctx context.Context, src Source, limit int) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.take(ctx, src, limit)
}

// upTo indexes the changes up to one, unless they have been indexed while waiting for the
// lock.
func (t *textIndex) upTo(ctx context.Context, src Source, seq int64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.seq() >= seq {
		return nil
	}
	_, err := t.take(ctx, src, int(seq-t.seq()))
	return err
}

func (t *textIndex) take(ctx context.Context, src Source, limit int) (int, error) {
	changes, err := src.Documents(ctx, t.seq(), limit)
	if err != nil || len(changes) == 0 {
		return 0, err
	}
	b := t.index.NewBatch()
	for _, c := range changes {
		if c.Asset == nil {
			b.Delete(docID(c.AssetID))
		} else if err := b.IndexAdvanced(t.analyzer.document(c.Asset)); err != nil {
			return 0, err
		}
	}
	last := changes[len(changes)-1].Seq
	b.SetInternal([]byte(keySeq), binary.BigEndian.AppendUint64(nil, uint64(last)))
	if err := t.index.Batch(b); err != nil {
		return 0, err
	}
	t.done.Store(last)
	return len(changes), nil
}
