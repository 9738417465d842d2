package access

import (
	"slices"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// All permission rules are in this file and in policy_work.go. Each use case calls them,
// within the acting transaction if the answer depends on stored data. The API checks the
// declared abilities of a route beforehand, but use cases do not rely on that. A may
// function returns nil, or a Denied error that lists everything missing.
//
// An ability covers only its noun, on every access path: without collections:read, a
// reader of assets learns nothing about collections, and only administrators know the
// upload batches of other users. Such things are omitted from responses; requesting them
// by name is denied.

// StillMay reports whether a user is enabled and passes a rule, for what outlasts the request
// of the user: external libraries and signed URLs.
func StillMay(u *dam.User, may func(dam.Actor) error) bool {
	return u.DisabledAt == nil && may(dam.Actor{User: u}) == nil
}

// Viewer returns the user whose view of the collections applies when an actor changes
// them.
func Viewer(actor dam.Actor) int64 {
	switch {
	case actor.User == nil:
		return storage.Nobody
	case actor.User.Role == dam.RoleAdmin:
		return storage.Everyone
	}
	return actor.User.ID
}

// Reader returns the user whose view of the collections applies when they are shown to an
// actor.
func Reader(actor dam.Actor) int64 {
	if !actor.May(dam.CollectionsRead) {
		return storage.Nobody
	}
	return Viewer(actor)
}

// Granted returns the abilities that limit background work for an actor: those of its
// token, nil without one.
func Granted(actor dam.Actor) []dam.Ability {
	if actor.Token == nil {
		return nil
	}
	return actor.Token.Abilities
}

// OnBehalf returns an actor for background work for a user, with the granted abilities.
func OnBehalf(u *dam.User, granted []dam.Ability) dam.Actor {
	actor := dam.Actor{User: u}
	if granted != nil {
		actor.Token = &dam.Token{UserID: u.ID, Abilities: granted}
	}
	return actor
}

// SeesAll reports whether an actor sees and manages other users' objects: an admin does,
// but not through a token.
func SeesAll(actor dam.Actor) bool { return actor.Token == nil && actor.User.Role == dam.RoleAdmin }

// Assets.

func MayReadAssets(actor dam.Actor) error     { return actor.Require(dam.AssetsRead) }
func MayDeleteAssets(actor dam.Actor) error   { return actor.Require(dam.AssetsDelete) }
func MayDownloadAssets(actor dam.Actor) error { return actor.Require(dam.AssetsDownload) }

// MayMergeAssets checks whether an actor may merge assets, which also affects collections
// that it does not see.
func MayMergeAssets(actor dam.Actor) error {
	return actor.Require(dam.AssetsDelete, dam.AssetsWrite, dam.CollectionsWrite)
}

// MayQuery checks whether an actor may run a query: a filter or facet on collections
// reveals their assets, and one on favorites reveals the guests' choices.
func MayQuery(actor dam.Actor, q *dam.Query) error {
	need := []dam.Ability{dam.AssetsRead}
	if q.AboutCollections() || q.Filter.AboutShares() { // shares include the assets of collections
		need = append(need, dam.CollectionsRead)
	}
	if q.AboutPicks() || q.Filter.AboutShares() {
		need = append(need, dam.SharesRead)
	}
	if q.Filter.AboutUse() {
		need = append(need, dam.AnalyticsRead)
	}
	return actor.Require(need...)
}

// MayChangeAsset checks whether an actor may make a change to an asset. Metadata sent back
// unchanged is not a change; the defaults of a new class count as the class's, not the
// actor's.
func MayChangeAsset(actor dam.Actor, asset *dam.Asset, p *dam.AssetPatch) error {
	var need []dam.Ability
	if p.TouchesFields() || !p.Metadata.Sent {
		need = append(need, dam.AssetsWrite)
	}
	if p.TouchesMetadata(asset) || need == nil && !actor.May(dam.AssetsWrite) {
		need = append(need, dam.MetadataWrite)
	}
	return actor.Require(need...)
}

// MayChangeBySidecar checks whether an actor may change assets by uploading sidecars
// without their files.
func MayChangeBySidecar(actor dam.Actor) error {
	return actor.Require(dam.AssetsWrite, dam.MetadataWrite)
}

// MayReplaceFiles checks whether an actor may replace the files of assets, and restore
// earlier versions.
func MayReplaceFiles(actor dam.Actor) error { return actor.Require(dam.AssetsWrite) }

// Collections.

func MayReadCollections(actor dam.Actor) error   { return actor.Require(dam.CollectionsRead) }
func MayChangeCollections(actor dam.Actor) error { return actor.Require(dam.CollectionsWrite) }
func MayDeleteCollections(actor dam.Actor) error { return actor.Require(dam.CollectionsDelete) }

// MayFillCollections checks whether an actor may add assets to the collections that it may
// view, and remove them.
func MayFillCollections(actor dam.Actor) error { return actor.Require(dam.CollectionsWrite) }

// MayRestrict checks whether an actor may change the viewers of a collection: only its
// creator and admins may, even if other users may change everything else.
func MayRestrict(actor dam.Actor, c *dam.Collection) error {
	if actor.User.Role == dam.RoleAdmin || actor.User.ID == c.CreatedByID {
		return MayChangeCollections(actor)
	}
	return &dam.Error{Kind: dam.Denied, Msg: "Only the creator of the collection or an admin may change who may view it.",
		Abilities: []dam.Ability{}}
}

// MayRule checks whether an actor may set rules of a collection: it sees how many assets
// they match, as with a query.
func MayRule(actor dam.Actor, rules *dam.Filter) error {
	return MayQuery(actor, &dam.Query{Filter: rules})
}

// NamesCollections reports whether an actor may see collection IDs in the requests of
// other users.
func NamesCollections(actor dam.Actor) bool {
	return actor.May(dam.CollectionsRead) || actor.May(dam.CollectionsWrite)
}

// SeesViewers reports whether a viewer of a collection may see the other viewers.
func SeesViewers(actor dam.Actor, c *dam.Collection) bool {
	mine := actor.User != nil && (actor.User.Role == dam.RoleAdmin || actor.User.ID == c.CreatedByID)
	return mine || actor.May(dam.CollectionsWrite)
}

// Uploads.

func MayUpload(actor dam.Actor) error { return actor.Require(dam.UploadsManage) }

// MayManageRoots checks whether an actor may have external libraries scanned or forgotten.
func MayManageRoots(actor dam.Actor) error { return actor.RequireAdministration() }

// MayFillBatch checks whether an actor may create a batch, or upload files to it: its
// assets are added to collections and get metadata. A batch with a new version of an asset
// requires the right to change assets.
func MayFillBatch(actor dam.Actor, b *dam.Batch) error {
	need := []dam.Ability{dam.UploadsManage}
	if b.VersionOf != "" {
		need = []dam.Ability{dam.AssetsWrite}
	}
	if len(b.CollectionIDs) > 0 {
		need = append(need, dam.CollectionsWrite)
	}
	if len(b.Metadata) > 0 {
		need = append(need, dam.MetadataWrite)
	}
	return actor.Require(need...)
}

// SeesAllBatches reports whether an actor may see other users' upload batches.
func SeesAllBatches(actor dam.Actor) bool {
	return actor.User != nil && actor.User.Role == dam.RoleAdmin && actor.May(dam.UploadsManage)
}

// KnowsBatch reports whether an actor may see a user's upload batches.
func KnowsBatch(actor dam.Actor, of int64) bool {
	return actor.User != nil && actor.User.ID == of || SeesAllBatches(actor)
}

// Users.

// MayManageUsers checks whether an actor may see, invite and change all users.
func MayManageUsers(actor dam.Actor) error { return actor.RequireAdministration() }

// MayManageSelf checks whether an actor may change its own account and end its sessions: a
// person may, a program with a token may not.
func MayManageSelf(actor dam.Actor) error { return actor.RequireSession() }

// MayReadTrail checks whether an actor may read the audit log.
func MayReadTrail(actor dam.Actor) error { return actor.RequireAdministration() }

// Definitions.

func MayReadDefinitions(actor dam.Actor) error { return actor.Require(dam.MetadataRead) }

// MayDefine checks whether an actor may change fields, vocabularies and classes.
func MayDefine(actor dam.Actor) error { return mayAdminister(actor, dam.MetadataWrite) }

// MayDefineTypes checks whether an actor may create and rename collection types.
func MayDefineTypes(actor dam.Actor) error { return mayAdminister(actor, dam.CollectionsWrite) }

// MayDeleteTypes checks whether an actor may delete collection types.
func MayDeleteTypes(actor dam.Actor) error { return mayAdminister(actor, dam.CollectionsDelete) }

// Images in other sizes.

// MayPreset checks whether an actor may change presets.
func MayPreset(actor dam.Actor) error { return mayAdminister(actor, dam.SharesManage) }

// MaySignImages checks whether an actor may create image URLs that anyone can fetch.
func MaySignImages(actor dam.Actor) error { return actor.Require(dam.SharesManage, dam.AssetsDownload) }

// Shares.

func MayReadShares(actor dam.Actor) error { return actor.Require(dam.SharesRead) }

// MayShare checks whether an actor may create and change shares, which requires the
// abilities to fetch the files.
func MayShare(actor dam.Actor) error {
	return actor.Require(dam.SharesManage, dam.AssetsRead, dam.AssetsDownload)
}

// SharingRoles returns the roles whose users may share. Guests can see a user's shares
// only while the user has one of these roles.
func SharingRoles() []dam.Role {
	return slices.DeleteFunc(dam.Values[dam.Role](), func(r dam.Role) bool {
		return MayShare(dam.Actor{User: &dam.User{Role: r}}) != nil
	})
}

func MayManageShares(actor dam.Actor) error { return actor.Require(dam.SharesManage) }

// SeesShare reports whether an actor sees the shares of a user, 0 for all: users see their
// own, administrators see all.
func SeesShare(actor dam.Actor, of int64) bool {
	return of == actor.User.ID || actor.RequireAdministration() == nil
}

func MayReadAnalytics(actor dam.Actor) error { return actor.Require(dam.AnalyticsRead) }
func MayReadAssetAnalytics(actor dam.Actor) error {
	return actor.Require(dam.AnalyticsRead, dam.AssetsRead)
}

// MayManageSite checks whether an actor may change the library's public appearance.
func MayManageSite(actor dam.Actor) error   { return actor.RequireAdministration() }
func MayReadConsents(actor dam.Actor) error { return actor.Require(dam.ConsentsRead) }

// mayAdminister checks whether an actor is an admin with an ability.
func mayAdminister(actor dam.Actor, ability dam.Ability) error {
	if err := actor.Require(ability); err != nil {
		return err
	}
	return actor.RequireAdmin()
}
