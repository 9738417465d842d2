package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/job"
	"github.com/digital-asset-library/dal/storage"
)

// understandingDeaths is how often the server may die while it looks at an asset before
// it leaves that asset alone.
const understandingDeaths = 2

// An analyzer does one task of dam.Tasks for one asset.
type analyzer struct {
	task    string
	version string                                             // what does it, and how that is set: another one does it again; "" for nothing
	why     string                                             // why there is nothing that does it, for people
	wants   func(a *dam.Asset) bool                            // whether there is something to look at
	hold    func() bool                                        // whether nothing may be looked at now; nil means never
	look    func(context.Context, *dam.Asset) (finding, error) // outside of a transaction: see understanding.look
}

// A finding is what an analyzer has seen. It is applied to the asset as it is by then, and
// reports whether that has changed it.
type finding func(a *dam.Asset) bool

// understanding finds out what assets show and say. That goes on in the background, after
// they have become assets.
type understanding struct {
	store     *storage.Store
	jobs      *jobs
	index     *index
	log       *slog.Logger
	analyzers []*analyzer // in the order of dam.Tasks
}

// analyzer returns what does a task. An unknown one is done by nothing.
func (u *understanding) analyzer(task string) *analyzer {
	for _, z := range u.analyzers {
		if z.task == task {
			return z
		}
	}
	return &analyzer{task: task, why: fmt.Sprintf("This server has nothing that does %s.", task)}
}

func (z *analyzer) on() bool { return z.version != "" }

// want queues what there is to find out about an asset, which is new or has a new file.
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

// resume queues what there is to find out about assets that none of the analyzers there
// are now has looked at.
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

// handlers returns what does the jobs of the tasks.
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

// work does a task for an asset.
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
	return func(tx *storage.Tx) error { return u.put(tx, asset, found) }, nil
}

// found is what became of a task for an asset. Without a finding there is nothing to
// change.
type found struct {
	*analyzer
	finding finding
	fault   string
}

// look has an analyzer look at an asset. What is wrong with the file is part of what it
// found; the error is what another attempt may mend.
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

// put writes what was found out about an asset. If it has another file by now, the task is
// done again.
func (u *understanding) put(tx *storage.Tx, asset *dam.Asset, all ...found) error {
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
	return tx.InsertEnrichment(now)
}

// died notes that a task could not be done.
func (u *understanding) died(tx *storage.Tx, z *analyzer, id int64) error {
	list, err := tx.AssetsByID([]int64{id})
	if err != nil || len(list) == 0 {
		return err
	}
	return tx.PutAnalysis(id, z.task, z.version, "It could not be done. The server's log says why.")
}

// check reports tasks of an ai_analysis that nothing does.
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

// of returns what does some of the tasks of an ai_analysis: those but for meaning.
func (u *understanding) of(tasks []string) []*analyzer {
	var list []*analyzer
	for _, z := range u.analyzers {
		if slices.Contains(tasks, z.task) {
			list = append(list, z)
		}
	}
	return list
}

// Analyses returns what became of the tasks for an asset, in the trash or not: those that
// were done, and those that wait.
func (a *App) Analyses(ctx context.Context, actor dam.Actor, gaid dam.GAID) (list []dam.Analysis, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) error {
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
