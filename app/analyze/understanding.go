package analyze

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/index"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/app/original"
	"github.com/digital-asset-library/dal/storage"
)

// understandingDeaths is how often the server may crash while analyzing an asset before it
// gives up on the asset.
const understandingDeaths = 2

// An analyzer runs one task of dam.Tasks for one asset.
type Analyzer struct {
	Task    string
	version string                                             // engine and settings, whose change repeats the task; "" if disabled
	why     string                                             // why it is disabled, for users
	wants   func(a *dam.Asset) bool                            // whether the asset can be analyzed
	hold    func() bool                                        // whether analysis is suspended; nil means never
	look    func(context.Context, *dam.Asset) (finding, error) // runs outside a transaction: see understanding.look
}

// A finding is the result of an analyzer. It is applied to the then current asset, and
// reports whether it changed that.
type finding func(a *dam.Asset) bool

// Analyses analyzes the content of assets, in the background after they were created.
type Analyses struct {
	Store     *storage.Store
	Jobs      *job.Queue
	Index     *index.Index
	Log       *slog.Logger
	Analyzers []*Analyzer // in the order of dam.Tasks
	Captions  *Captions
	OCRData   string // folder of additional Tesseract language data; "" for none
}

// Analyzer returns the analyzer of a task. For an unknown task, that is disabled.
func (u *Analyses) Analyzer(task string) *Analyzer {
	for _, z := range u.Analyzers {
		if z.Task == task {
			return z
		}
	}
	return &Analyzer{Task: task, why: fmt.Sprintf("This server has nothing that does %s.", task)}
}

// On reports whether the task is available on this server.
func (z *Analyzer) On() bool { return z.version != "" }

// Want queues the analyses of an asset that is new or has a new file.
func (u *Analyses) Want(tx *storage.Tx, asset *dam.Asset) error {
	for _, z := range u.Analyzers {
		if !z.On() || !z.wants(asset) {
			continue
		}
		if err := u.Jobs.AddOnce(tx, dam.JobOf(z.Task), asset.ID); err != nil {
			return err
		}
	}
	return nil
}

// Resume queues the analyses of assets that the current version of an analyzer has not
// processed.
func (u *Analyses) Resume(ctx context.Context) error {
	for _, z := range u.Analyzers {
		if !z.On() {
			continue
		}
		err := u.Store.Update(ctx, func(tx *storage.Tx) error {
			u.Jobs.WakeOn(tx, dam.JobOf(z.Task))
			return tx.EnqueueAnalyses(z.Task, z.version, u.Jobs.Attempts)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Handlers returns the job handlers of the tasks.
func (u *Analyses) Handlers(full func() bool) map[dam.JobKind]job.Handler {
	all := map[dam.JobKind]job.Handler{}
	for _, task := range dam.Tasks() {
		kind, z := dam.JobOf(task), u.Analyzer(task)
		if kind == "" {
			continue
		}
		all[kind] = job.Handler{
			Workers: 1, Deaths: understandingDeaths,
			Work: func(ctx context.Context, j *dam.Job) (job.Commit, error) { return u.work(ctx, z, j.Subject) },
			Hold: func() bool { return !z.On() || full() || z.hold != nil && z.hold() },
			Dead: func(tx *storage.Tx, j *dam.Job) error { return u.died(tx, z, j.Subject) },
		}
	}
	return all
}

// work runs a task for an asset.
func (u *Analyses) work(ctx context.Context, z *Analyzer, id int64) (job.Commit, error) {
	u.Index.GiveWay(ctx, BulkPause)
	var asset *dam.Asset
	err := u.Store.View(ctx, func(tx *storage.Tx) error {
		done, err := tx.Analyzed(id, z.Task, z.version)
		if err != nil || done {
			return err
		}
		list, err := tx.AssetsByID([]int64{id})
		if err == nil && len(list) == 1 && list[0].DeletedAt == nil {
			asset = list[0]
		}
		return err
	})
	if err != nil || asset == nil {
		return nil, err
	}
	found, err := u.Look(ctx, z, asset)
	if err != nil {
		return nil, err
	}
	return func(tx *storage.Tx) error { return u.Put(tx, asset, tx.InsertEnrichment, found) }, nil
}

// Found is the outcome of a task for an asset. Without a finding, nothing changes.
type Found struct {
	*Analyzer
	finding finding
	Fault   string
}

// Look runs an analyzer on an asset. Faults of the file are part of the result; the error
// is one that another attempt may resolve.
func (u *Analyses) Look(ctx context.Context, z *Analyzer, asset *dam.Asset) (f Found, err error) {
	f.Analyzer = z
	if !z.wants(asset) {
		return f, nil
	}
	f.finding, err = z.look(ctx, asset)
	if fault, ok := errors.AsType[*dam.FileError](err); ok {
		u.Log.InfoContext(ctx, "an asset cannot be analysed", "task", z.Task, "gaid", asset.GAID, "err", fault)
		f.Fault, err = fault.Message, nil
	}
	if damage := original.DamageOf(err); damage != dam.DamageNone {
		f.Fault, err = "The file is damaged or missing on the server.", nil
	}
	return f, err
}

// Put stores the results for an asset, and calls emit with the asset if they changed it. If
// its file was replaced in the meantime, the task is repeated.
func (u *Analyses) Put(tx *storage.Tx, asset *dam.Asset, emit func(*dam.Asset) error, all ...Found) error {
	list, err := tx.AssetsByID([]int64{asset.ID})
	if err != nil || len(list) == 0 {
		return err
	}
	now := list[0]
	if now.SHA256 != asset.SHA256 {
		for _, f := range all {
			if err := u.Jobs.Add(tx, dam.JobOf(f.Task), asset.ID); err != nil {
				return err
			}
		}
		return nil
	}
	changed := false
	for _, f := range all {
		if err := tx.PutAnalysis(asset.ID, f.Task, f.version, f.Fault); err != nil {
			return err
		}
		if f.finding != nil && f.finding(now) {
			changed = true
		}
	}
	if !changed {
		return nil
	}
	tx.OnCommit(u.Index.Changed)
	if err := tx.UpdateAsset(now); err != nil {
		return err
	}
	if now.Recognized != nil {
		if err := tx.PutRecognized(now, now.Recognized); err != nil {
			return err
		}
	}
	return emit(now)
}

// died records that a task failed permanently.
func (u *Analyses) died(tx *storage.Tx, z *Analyzer, id int64) error {
	list, err := tx.AssetsByID([]int64{id})
	if err != nil || len(list) == 0 {
		return err
	}
	return tx.PutAnalysis(id, z.Task, z.version, "It could not be done. The server's log says why.")
}

// Check returns an error if tasks of an ai_analysis are unavailable.
func (u *Analyses) Check(tasks []string, meaning bool) error {
	var p dam.Problems
	for i, task := range tasks {
		z, at := u.Analyzer(task), fmt.Sprintf("tasks.%d", i)
		switch {
		case task == dam.TaskMeaning && !meaning:
			p.Add(at, "Search by meaning is off on this server (--embeddings).")
		case task != dam.TaskMeaning && !z.On():
			p.Add(at, "%s", z.why)
		}
	}
	return p.Err()
}

// Of returns the analyzers of the tasks of an ai_analysis, other than meaning.
func (u *Analyses) Of(tasks []string) []*Analyzer {
	var list []*Analyzer
	for _, z := range u.Analyzers {
		if slices.Contains(tasks, z.Task) {
			list = append(list, z)
		}
	}
	return list
}

// Analyses returns the outcomes of the tasks for an asset, in the trash or not, both
// completed and pending.
func (u *Analyses) Analyses(ctx context.Context, actor dam.Actor, gaid dam.GAID) (list []dam.Analysis, err error) {
	err = u.Store.View(ctx, func(tx *storage.Tx) error {
		if err := access.MayReadAssets(actor); err != nil {
			return err
		}
		asset, err := tx.Asset(gaid)
		if err != nil {
			return err
		}
		list, err = tx.Analyses(asset.ID)
		return err
	})
	return list, err
}

// Pause before each turn while somebody is searching, since searches must also
// index its changes.
const BulkPause = 100 * time.Millisecond
