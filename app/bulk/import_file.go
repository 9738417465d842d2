package bulk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/export"
	"github.com/digital-asset-library/dal/app/table"
	"github.com/digital-asset-library/dal/storage"
	"github.com/digital-asset-library/dal/storage/blob"
)

const (
	// importKeep is the retention of a table that no operation has used.
	importKeep = 24 * time.Hour
	// A transaction stores up to importChunkRows rows, or fewer once they reach
	// importChunkBytes.
	importChunkRows  = 2000
	importChunkBytes = 4 << 20
)

// Imports stores the tables that users have uploaded in order to update assets. Its
// methods are safe for concurrent use.
type Imports struct {
	Store *storage.Store
	Room  blob.Room
	Most  int64 // maximum bytes of a table
	Now   func() time.Time
}

// importFile returns a table of the actor; other users' tables are not found.
func importFile(tx *storage.Tx, actor dam.Actor, id int64) (*dam.ImportFile, error) {
	f, err := tx.ImportFile(id)
	if err == nil && f.CreatedByID != actor.User.ID {
		return nil, dam.Errorf(dam.NotFound, "File not found.")
	}
	return f, err
}

// Show returns a table of the actor.
func (x *Imports) Show(ctx context.Context, actor dam.Actor, id int64) (f *dam.ImportFile, err error) {
	err = x.Store.View(ctx, func(tx *storage.Tx) error {
		if err := access.MayImport(actor); err != nil {
			return err
		}
		f, err = importFile(tx, actor, id)
		return err
	})
	return f, err
}

// Add stores a table of the actor up to its last row. If the table is invalid, it
// returns an Invalid error about the field file.
func (x *Imports) Add(ctx context.Context, actor dam.Actor, name string, r io.Reader) (*dam.ImportFile, error) {
	if err := access.MayImport(actor); err != nil {
		return nil, err
	}
	if err := x.Room(0); err != nil {
		return nil, err
	}
	in := &summed{r: r, hash: sha256.New(), most: x.Most}
	rows, err := table.NewReader(in, dam.MaxImportRow, func(name string) bool { return columnOf(name).Use != dam.ColumnUnknown })
	if err != nil {
		return nil, err
	}
	f := &dam.ImportFile{Filename: dam.CleanFilename(name), Encoding: rows.Encoding, Separator: string(rows.Separator),
		CreatedByID: actor.User.ID, ExpiresAt: x.Now().Add(DraftKeep)}
	for _, name := range rows.Header {
		c := columnOf(name)
		if f.Column(c.Name) >= 0 { // in different case
			return nil, dam.InvalidField("file", "The header has the column %q twice.", c.Name)
		}
		f.Columns = append(f.Columns, c)
	}
	if err := x.insert(storage.Preparing(ctx), f); err != nil {
		return nil, err
	}
	if err := x.fill(storage.Preparing(ctx), f, rows); err != nil {
		return nil, errors.Join(err, x.drop(context.WithoutCancel(ctx), f))
	}
	if _, err := io.Copy(io.Discard, in); err != nil { // the part that the reader did not need
		return nil, errors.Join(err, x.drop(context.WithoutCancel(ctx), f))
	}
	f.Size, f.SHA256, f.ExpiresAt = in.size, hex.EncodeToString(in.hash.Sum(nil)), x.Now().Add(importKeep)
	return f, x.Store.Update(ctx, func(tx *storage.Tx) error {
		if err := tx.PublishImportFile(f); err != nil {
			return err
		}
		return tx.ExpireUnused(f.CreatedByID, dam.MaxImportLeftovers)
	})
}

// columnOf returns how a column is used. Known names are case-insensitive.
func columnOf(name string) dam.ImportColumn {
	of := func(name string) dam.ImportColumn {
		return dam.NewImportColumn(name, slices.Contains(export.Columns(), name))
	}
	if lower := of(strings.ToLower(name)); lower.Use != dam.ColumnUnknown {
		return lower
	}
	return of(name)
}

// insert stores the draft of a table.
func (x *Imports) insert(ctx context.Context, f *dam.ImportFile) error {
	return x.Store.Update(ctx, func(tx *storage.Tx) error {
		used, err := tx.CountImportFiles(f.CreatedByID)
		if err != nil {
			return err
		}
		if used >= dam.MaxImportFiles {
			return dam.Errorf(dam.Conflict, "You have imported %d files, the most that are kept of a user at once; "+
				"import another one when one has expired.", used)
		}
		return tx.InsertImportFile(f)
	})
}

// fill stores the rows of a table.
func (x *Imports) fill(ctx context.Context, f *dam.ImportFile, from *table.Reader) error {
	var chunk []dam.ImportRow
	bytes := 0
	store := func() error {
		if err := x.Room(0); err != nil {
			return err
		}
		err := x.Store.Note(ctx, func(tx *storage.Tx) error { return tx.InsertImportRows(f, chunk) })
		chunk, bytes = chunk[:0], 0
		return err
	}
	for {
		row, err := from.Next()
		if errors.Is(err, io.EOF) {
			return store()
		}
		if err != nil {
			return err
		}
		if f.Rows == dam.MaxOperationItems {
			return dam.InvalidField("file", "The file has more than %d rows.", dam.MaxOperationItems)
		}
		kept := keptOf(f, row)
		kept.Position = f.Rows
		f.Rows++
		chunk = append(chunk, kept)
		for _, c := range kept.Cells {
			bytes += len(c) + 3
		}
		if len(chunk) == importChunkRows || bytes >= importChunkBytes {
			if err := store(); err != nil {
				return err
			}
		}
	}
}

// keptOf returns the stored part of a row, and records examples of cells.
func keptOf(f *dam.ImportFile, row table.Row) dam.ImportRow {
	kept := dam.ImportRow{Line: row.Line, Problem: row.Problem, Cells: []string{}}
	for i, text := range row.Cells {
		c := &f.Columns[i]
		c.SetExample(text)
		if c.Kept {
			kept.Cells = append(kept.Cells, strings.Clone(text))
		}
	}
	return kept
}

// drop removes a draft.
func (x *Imports) drop(ctx context.Context, f *dam.ImportFile) error {
	err := x.Store.Update(ctx, func(tx *storage.Tx) error { return tx.ExpireImportFile(f.ID, tx.Now()) })
	if err != nil {
		return err
	}
	return x.Trim(ctx)
}

// Trim removes expired tables that are not in use.
func (x *Imports) Trim(ctx context.Context) error {
	return x.Store.Repeat(ctx, func(tx *storage.Tx) (int64, error) { return tx.TrimImportFiles(storage.Step) })
}

// summed reads a file of up to most bytes, and computes its size and hash.
type summed struct {
	r    io.Reader
	hash hash.Hash
	size int64
	most int64
}

func (c *summed) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.hash.Write(p[:n])
	if c.size += int64(n); c.size > c.most {
		return n, dam.Errorf(dam.TooLarge, "The file may have up to %s.", bytesText(c.most))
	}
	return n, err
}
