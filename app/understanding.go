package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/storage"
)

// understandingDeaths is how often the server may crash while analyzing an asset before it
// gives up on the asset.
const understandingDeaths = 2

// An analyzer runs one task of dam.Tasks for one asset.
type analyzer struct {
	task    string
	version string                                             // engine and settings, whose change repeats the task; "" if disabled
	why     string                                             // why it is disabled, for users
	wants   func(a *dam.Asset) bool                            // whether the asset can be analyzed
	hold    func() bool                                        // whether analysis is suspended; nil means never
	look    func(context.Context, *dam.Asset) (finding, error) // runs outside a transaction: see understanding.look
}

// A finding is the result of an analyzer. It is applied to the then current asset, and
// reports whether it changed that.
type finding func(a *dam.Asset) bool

// understanding analyzes the content of assets, in the background after they were created.
type understanding struct {
	store     *storage.Store
	jobs      *jobs
	index     *index
	log       *slog.Logger
	analyzers []*analyzer // in the order of dam.Tasks
	captions  *captions
	ocrData   string // folder of additional Tesseract language data; "" for none
}

// analyzer returns the analyzer of a task. For an unknown task, that is disabled.
func (u *understanding) analyzer(task string) *analyzer {
	for _, z := range u.analyzers {
		if z.task == task {
			return z
		}
	}
	return &analyzer{task: task, why: fmt.Sprintf("This server has nothing that does %s.", task)}
}

func (z *analyzer) on() bool { return z.version != "" }

// want queues the analyses of an asset that is new or has a new file.
func (u *understanding) want(tx *storage.Tx, asset *dam.Asset) error {
	for _, z := range u.analyzers {
		if !z.on() || !z.wants(asset) {
			continue
		}
		if err := u.jobs.addOnce(tx, dam.JobOf(z.task), asset.ID); err != nil {
			return err
		}
	}
	return nil
}

// resume queues the analyses of assets that the current version of an analyzer has not
// processed.
func (u *understanding) resume(ctx context.Context) error {
	for _, z := range u.analyzers {
		if !z.on() {
			continue
		}
		err := u.store.Update(ctx, func(tx *storage.Tx) error {
			u.jobs.wakeOn(tx, dam.JobOf(z.task))
			return tx.EnqueueAnalyses(z.task, z.version, u.jobs.attempts)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// handlers returns the job handlers of the tasks.
func (u *understanding) handlers(full func() bool) map[dam.JobKind]job.Handler {
	all := map[dam.JobKind]job.Handler{}
	for _, task := range dam.Tasks() {
		kind, z := dam.JobOf(task), u.analyzer(task)
		if kind == "" {
			continue
		}
		all[kind] = job.Handler{
			Workers: 1, Deaths: understandingDeaths,
			Work: func(ctx context.Context, j *dam.Job) (job.Commit, error) { return u.work(ctx, z, j.Subject) },
			Hold: func() bool { return !z.on() || full() || z.hold != nil && z.hold() },
			Dead: func(tx *storage.Tx, j *dam.Job) error { return u.died(tx, z, j.Subject) },
		}
	}
	return all
}

// work runs a task for an asset.
func (u *understanding) work(ctx context.Context, z *analyzer, id int64) (job.Commit, error) {
	u.index.giveWay(ctx, bulkPause)
	var asset *dam.Asset
	err := u.store.View(ctx, func(tx *storage.Tx) error {
		done, err := tx.Analyzed(id, z.task, z.version)
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
	found, err := u.look(ctx, z, asset)
	if err != nil {
		return nil, err
	}
	return func(tx *storage.Tx) error { return u.put(tx, asset, tx.InsertEnrichment, found) }, nil
}

// found is the outcome of a task for an asset. Without a finding, nothing changes.
type found struct {
	*analyzer
	finding finding
	fault   string
}

// look runs an analyzer on an asset. Faults of the file are part of the result; the error
// is one that another attempt may resolve.
func (u *understanding) look(ctx context.Context, z *analyzer, asset *dam.Asset) (f found, err error) {
	f.analyzer = z
	if !z.wants(asset) {
		return f, nil
	}
	f.finding, err = z.look(ctx, asset)
	if fault, ok := errors.AsType[*dam.FileError](err); ok {
		u.log.InfoContext(ctx, "an asset cannot be analysed", "task", z.task, "gaid", asset.GAID, "err", fault)
		f.fault, err = fault.Message, nil
	}
	if damage := damageOf(err); damage != dam.DamageNone {
		f.fault, err = "The file is damaged or missing on the server.", nil
	}
	return f, err
}

// put stores the results for an asset, and calls emit with the asset if they changed it. If
// its file was replaced in the meantime, the task is repeated.
func (u *understanding) put(tx *storage.Tx, asset *dam.Asset, emit func(*dam.Asset) error, all ...found) error {
	list, err := tx.AssetsByID([]int64{asset.ID})
	if err != nil || len(list) == 0 {
		return err
	}
	now := list[0]
	if now.SHA256 != asset.SHA256 {
		for _, f := range all {
			if err := u.jobs.add(tx, dam.JobOf(f.task), asset.ID); err != nil {
				return err
			}
		}
		return nil
	}
	changed := false
	for _, f := range all {
		if err := tx.PutAnalysis(asset.ID, f.task, f.version, f.fault); err != nil {
			return err
		}
		if f.finding != nil && f.finding(now) {
			changed = true
		}
	}
	if !changed {
		return nil
	}
	tx.OnCommit(u.index.changed)
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
func (u *understanding) died(tx *storage.Tx, z *analyzer, id int64) error {
	list, err := tx.AssetsByID([]int64{id})
	if err != nil || len(list) == 0 {
		return err
	}
	return tx.PutAnalysis(id, z.task, z.version, "It could not be done. The server's log says why.")
}

// check returns an error if tasks of an ai_analysis are unavailable.
func (u *understanding) check(tasks []string, meaning bool) error {
	var p dam.Problems
	for i, task := range tasks {
		z, at := u.analyzer(task), fmt.Sprintf("tasks.%d", i)
		switch {
		case task == dam.TaskMeaning && !meaning:
			p.Add(at, "Search by meaning is off on this server (--embeddings).")
		case task != dam.TaskMeaning && !z.on():
			p.Add(at, "%s", z.why)
		}
	}
	return p.Err()
}

// of returns the analyzers of the tasks of an ai_analysis, other than meaning.
func (u *understanding) of(tasks []string) []*analyzer {
	var list []*analyzer
	for _, z := range u.analyzers {
		if slices.Contains(tasks, z.task) {
			list = append(list, z)
		}
	}
	return list
}

// Analyses returns the outcomes of the tasks for an asset, in the trash or not, both
// completed and pending.
func (u *understanding) Analyses(ctx context.Context, actor dam.Actor, gaid dam.GAID) (list []dam.Analysis, err error) {
	err = u.store.View(ctx, func(tx *storage.Tx) error {
		if err := mayReadAssets(actor); err != nil {
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
const bulkPause = 100 * time.Millisecond
