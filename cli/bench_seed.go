package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

const (
	benchUser  = "bench@example.com"
	benchUsers = 12  // in addition to benchUser
	seedChunk  = 500 // assets per transaction, which form one upload batch
)

// The period in which a seeded library grew.
var (
	seedFrom = time.Date(2021, 1, 1, 8, 0, 0, 0, time.UTC)
	seedTo   = time.Date(2026, 1, 1, 8, 0, 0, 0, time.UTC)
)

func newBenchSeed(s *settings) *cobra.Command {
	var seed uint64
	var assets, collections int
	cmd := &cobra.Command{Use: "seed", Short: "Fill an empty data folder with a generated library", Args: takes(),
		Long: `Fills an empty data folder with a library as if it had been in use for years. The
same --seed creates the same library, except for the user's token. A folder that
contains or contained assets, or that a server uses, is rejected.

These are similar to a real library: titles, keywords, captions and creators from
50,000 words with the frequencies of a natural language, the frequent ones
English; recognized text of 60 to 200 words on a third of the assets; ten metadata
fields (project, year, rights, region, department, valid_until, cost,
model_release, channels, notes); collections of very different sizes; types,
sizes, dimensions, dates, colours, workflow statuses and owners; perceptual
hashes, 2% of them close to another; 3% in the trash; an upload batch for every
500 assets.

These are not: all assets have the same file, a PNG of one pixel, regardless of
their type, size and dimensions, so that dal check finds no problems. Nothing was
ingested, so there are no renditions, events or audit log entries of uploads. The
assets of a batch have the same creation time.

It creates the admin ` + benchUser + `, without a password, and prints a token
with all abilities to stdout. Then:

  dal reindex --data DIR
  dal serve --data DIR --rate-limit 1000000
  dal bench search --token TOKEN`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withNew(cmd, func(a *app.App) (err error) {
				unlock, err := a.Lock()
				if err != nil {
					return err
				}
				defer func() { err = errors.Join(err, unlock()) }()
				return seedLibrary(cmd, a, s.data, seed, assets, collections)
			})
		}}
	f := flagsOf(cmd)
	f.seed(&seed, "a `number`; another one creates another library")
	f.count(&assets, "assets", 100_000, 10_000_000, "number of assets")
	f.count(&collections, "collections", 200, 20_000, "number of collections")
	return cmd
}

// seedLibrary fills an empty library in dir, which a has opened and locked.
func seedLibrary(cmd *cobra.Command, a *app.App, dir string, seed uint64, assets, collections int) error {
	ctx, start := cmd.Context(), time.Now()
	clock := seedFrom
	store, err := storage.Open(ctx, filepath.Join(dir, "dal.db"), func() time.Time { return clock })
	if err != nil {
		return err
	}
	defer store.Close()
	if err := store.View(ctx, func(tx *storage.Tx) error {
		if last, err := tx.LastChange(); err != nil || last == 0 {
			return err
		}
		return fmt.Errorf("%s has or had assets; only an empty data folder can be seeded", dir)
	}); err != nil {
		return err
	}
	actor, token, err := benchActor(ctx, a)
	if err != nil {
		return err
	}
	sha, forget, err := adoptBenchFile(ctx, a, actor)
	if err != nil {
		return err
	}
	sd := &seeder{store: store, actor: actor}
	if err := store.Update(ctx, func(tx *storage.Tx) error { return sd.surroundings(tx, seed, sha, collections) }); err != nil {
		return err
	}
	p := newProgress(cmd.ErrOrStderr(), "Seeding")
	defer p.end()
	for done := 0; done < assets; done += seedChunk {
		n := min(seedChunk, assets-done)
		clock = seedFrom.Add(seedTo.Sub(seedFrom) / time.Duration(assets) * time.Duration(done+n))
		if err := store.Update(ctx, func(tx *storage.Tx) error { return sd.chunk(tx, n) }); err != nil {
			return err
		}
		p.set(int64(done+n), int64(assets))
	}
	clock = seedTo
	if err := store.Update(ctx, func(tx *storage.Tx) error { return sd.change(tx, sd.before) }); err != nil {
		return err
	}
	if err := forget(); err != nil { // the assets refer to the file now
		return err
	}
	p.end()
	took := time.Since(start)
	fmt.Fprintf(cmd.ErrOrStderr(),
		"%d assets, %d of them in the trash, %d collections with %d memberships, %d upload batches, %d users; %s, %.0f assets/s.\n",
		assets, sd.trashed, collections, sd.members, (assets+seedChunk-1)/seedChunk, benchUsers+1,
		took.Round(100*time.Millisecond), float64(assets)/took.Seconds())
	fmt.Fprintln(cmd.OutOrStdout(), token)
	return nil
}

// benchActor finds or creates the user who owns the library, and creates a token.
func benchActor(ctx context.Context, a *app.App) (actor dam.Actor, token string, err error) {
	u, err := a.Accounts.UserByEmail(ctx, benchUser)
	if dam.KindOf(err) == dam.NotFound {
		u = &dam.User{Email: benchUser, Name: "Bench", Role: dam.RoleAdmin}
		err = a.Accounts.CreateUser(ctx, u, "")
	}
	if err != nil {
		return actor, "", err
	}
	actor.User = u
	end := time.Now().Add(90 * 24 * time.Hour)
	token, err = a.Accounts.CreateToken(ctx, actor, &dam.Token{Name: "bench", Abilities: u.Role.Abilities(), ExpiresAt: &end})
	return actor, token, err
}

// adoptBenchFile stores the single file of all assets, as an upload that is not ingested.
// The returned function removes that upload.
func adoptBenchFile(ctx context.Context, a *app.App, actor dam.Actor) (sha256 string, forget func() error, err error) {
	b := &dam.Batch{Name: "The file of all assets"}
	if err := a.Uploads.CreateBatch(ctx, actor, b); err != nil {
		return "", nil, err
	}
	u, err := a.Uploads.NewUpload(ctx, actor, b.ID)
	if err != nil {
		return "", nil, err
	}
	defer u.Discard()
	if err := u.Add(ctx, "bench.png", bytes.NewReader(benchFile())); err != nil {
		return "", nil, err
	}
	files, err := u.Commit(ctx)
	if err != nil {
		return "", nil, err
	}
	return files[0].SHA256, func() error {
		_, err := a.Uploads.CancelBatch(ctx, actor, b.ID)
		return err
	}, nil
}

// seeder writes generated assets.
type seeder struct {
	store       *storage.Store
	actor       dam.Actor
	make        *assetMaker
	collections []int64
	before      []*dam.Asset // the previous chunk

	batches, trashed, members int
}

// surroundings writes users and collections.
func (s *seeder) surroundings(tx *storage.Tx, seed uint64, sha256 string, collections int) error {
	users := []int64{s.actor.User.ID}
	for i := range benchUsers {
		u := &dam.User{Name: fmt.Sprintf("Bench %d", i+1), Email: fmt.Sprintf("bench%d@example.com", i+1), Role: dam.RoleEditor}
		if i%3 == 2 {
			u.Role = dam.RoleViewer
		}
		if err := tx.InsertUser(u); err != nil {
			return err
		}
		users = append(users, u.ID)
	}
	s.make = newAssetMaker(seed, sha256, users, collections)
	for i := range collections {
		t := s.make.text
		c := dam.NewCollection()
		c.Name = fmt.Sprintf("%s %s %03d", capital(t.adjectives[i%len(t.adjectives)]), pluralOf(t.nouns[i%len(t.nouns)]), i+1)
		c.CreatedByID = s.actor.User.ID
		if err := tx.InsertCollection(c); err != nil {
			return err
		}
		s.collections = append(s.collections, c.ID)
	}
	return nil
}

// chunk writes n assets as one upload batch, and changes some assets of the previous batch.
func (s *seeder) chunk(tx *storage.Tx, n int) error {
	s.batches++
	b := &dam.Batch{Name: fmt.Sprintf("Batch %d", s.batches), AssetClassID: 1, CreatedByID: s.actor.User.ID}
	if err := tx.InsertBatch(b); err != nil {
		return err
	}
	if err := s.change(tx, s.before); err != nil {
		return err
	}
	s.before = s.before[:0]
	for range n {
		asset := s.make.next(tx.Now())
		asset.BatchID = b.ID
		if err := tx.InsertAsset(asset); err != nil {
			return err
		}
		var in []int64
		for _, c := range s.make.memberships() {
			in = append(in, s.collections[c])
		}
		s.members += len(in)
		if len(in) > 0 {
			if err := tx.AddToCollections(asset.ID, in); err != nil {
				return err
			}
		}
		file := &dam.BatchFile{
			BatchID: b.ID, Filename: asset.OriginalFilename, Size: asset.FileSize, Status: dam.FileReady, GAID: asset.GAID,
		}
		if err := tx.InsertBatchFile(file); err != nil {
			return err
		}
		s.before = append(s.before, asset)
	}
	if err := tx.CloseBatch(b.ID); err != nil {
		return err
	}
	_, err := tx.EndBatch(b.ID, dam.BatchCompleted)
	return err
}

// change moves 3% of the assets to the trash and edits 7%.
func (s *seeder) change(tx *storage.Tx, assets []*dam.Asset) error {
	for _, a := range assets {
		switch n := s.make.rnd.IntN(100); {
		case n < 3:
			now := tx.Now()
			a.DeletedAt = &now
			s.trashed++
		case n < 10:
			a.WorkflowStatus = dam.WorkflowArchived
		default:
			continue
		}
		if err := tx.UpdateAsset(a); err != nil {
			return err
		}
	}
	return nil
}
