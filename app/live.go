package app

import (
	"context"
	"errors"
	"time"

	"github.com/digital-asset-library/dal/app/access"
	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/live"
	"github.com/digital-asset-library/dal/storage"
)

// Update reports a change in the library.
type Update = live.Update

// UpdateKind is the kind of an Update.
type UpdateKind = live.Kind

// The kinds of updates.
const (
	UpdateBatch      = live.Batch
	UpdateFile       = live.File
	UpdateOperation  = live.Operation
	UpdateAsset      = live.Asset
	UpdateCollection = live.Collection
	UpdateReset      = live.Reset
)

// UpdateKinds lists the possible kinds of an UpdateReset.
func UpdateKinds() []UpdateKind { return live.Followed() }

// Follow streams changes in the library that the actor may see, until the Follower
// is closed, the actor's rights change, or the library stops. after is the last
// event that the actor has received, negative for none.
func (a *App) Follow(ctx context.Context, actor dam.Actor, after int64) (*live.Follower, error) {
	f, err := a.live.Follow(ctx, actor, after)
	if errors.Is(err, live.ErrTooMany) {
		err = &dam.Error{Kind: dam.TooMany, Msg: err.Error(), Err: &account.RetryAfter{Wait: streamRetry}}
	}
	return f, err
}

// LastEvent returns the id of the latest event, after which Follow continues.
func (a *App) LastEvent(ctx context.Context) (id int64, err error) {
	err = a.store.View(ctx, func(tx *storage.Tx) (err error) {
		id, err = tx.LastEvent()
		return err
	})
	return id, err
}

// streamRetry is when a user with too many streams may try again.
const streamRetry = 10 * time.Second

// stillSame is StillKnown for long-lived subscriptions: it also fails if the role
// has changed.
func stillSame(tx *storage.Tx, actor dam.Actor) error {
	if err := access.StillKnown(tx, actor); err != nil {
		return err
	}
	u, err := tx.User(actor.User.ID)
	if err == nil && u.Role != actor.User.Role {
		return access.ErrUnauthenticated
	}
	return err
}
