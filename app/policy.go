package app

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

// stillMay reports whether a user is enabled and passes a rule, for what outlasts the request
// of the user: external libraries and signed URLs.
func stillMay(u *dam.User, may func(dam.Actor) error) bool {
	return u.DisabledAt == nil && may(dam.Actor{User: u}) == nil
}

// viewer returns the user whose view of the collections applies when an actor changes
// them.
func viewer(actor dam.Actor) int64 {
	switch {
	case actor.User == nil:
		return storage.Nobody
	case actor.User.Role == dam.RoleAdmin:
		return storage.Everyone
	}
	return actor.User.ID
}

// reader returns the user whose view of the collections applies when they are shown to an
// actor.
func reader(actor dam.Actor) int64 {
	if !actor.May(dam.CollectionsRead) {
		return storage.Nobody
	}
	return viewer(actor)
}

// granted returns the abilities that limit background work for an actor: those of its
// token, nil without one.
func granted(actor dam.Actor) []dam.Ability {
	if actor.Token == nil {
		return nil
	}
	return actor.Token.Abilities
}

// onBehalf returns an actor for background work for a user, with the granted abilities.
func onBehalf(u *dam.User, granted []dam.Ability) dam.Actor {
	actor := dam.Actor{User: u}
	if granted != nil {
		actor.Token = &dam.Token{UserID: u.ID, Abilities: granted}
	}
	return actor
}

// seesAll reports whether an actor sees and manages other users' objects: an admin does,
// but not through a token.
func seesAll(actor dam.Actor) bool { return actor.Token == nil && actor.User.Role == dam.RoleAdmin }

// Assets.

func mayReadAssets(actor dam.Actor) error     { return actor.Require(dam.AssetsRead) }
func mayDeleteAssets(actor dam.Actor) error   { return actor.Require(dam.AssetsDelete) }
func mayDownloadAssets(actor dam.Actor) error { return actor.Require(dam.AssetsDownload) }

// mayMergeAssets checks whether an actor may merge assets, which also affects collections
// that it does not see.
func mayMergeAssets(actor dam.Actor) error {
	return actor.Require(dam.AssetsDelete, dam.AssetsWrite, dam.CollectionsWrite)
}

// mayQuery checks whether an actor may run a query: a filter or facet on collections
// reveals their assets, and one on favorites reveals the guests' choices.
func mayQuery(actor dam.Actor, q *dam.Query) error {
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

// mayChangeAsset checks whether an actor may make a change to an asset. Metadata sent back
// unchanged is not a change; the defaults of a new class count as the class's, not the
// actor's.
func mayChangeAsset(actor dam.Actor, asset *dam.Asset, p *dam.AssetPatch) error {
	var need []dam.Ability
	if p.TouchesFields() || !p.Metadata.Sent {
		need = append(need, dam.AssetsWrite)
	}
	if p.TouchesMetadata(asset) || need == nil && !actor.May(dam.AssetsWrite) {
		need = append(need, dam.MetadataWrite)
	}
	return actor.Require(need...)
}

// mayChangeBySidecar checks whether an actor may change assets by uploading sidecars
// without their files.
func mayChangeBySidecar(actor dam.Actor) error {
	return actor.Require(dam.AssetsWrite, dam.MetadataWrite)
}

// mayReplaceFiles checks whether an actor may replace the files of assets, and restore
// earlier versions.
func mayReplaceFiles(actor dam.Actor) error { return actor.Require(dam.AssetsWrite) }

// Collections.

func mayReadCollections(actor dam.Actor) error   { return actor.Require(dam.CollectionsRead) }
func mayChangeCollections(actor dam.Actor) error { return actor.Require(dam.CollectionsWrite) }
func mayDeleteCollections(actor dam.Actor) error { return actor.Require(dam.CollectionsDelete) }

// mayFillCollections checks whether an actor may add assets to the collections that it may
// view, and remove them.
func mayFillCollections(actor dam.Actor) error { return actor.Require(dam.CollectionsWrite) }

// mayRestrict checks whether an actor may change the viewers of a collection: only its
// creator and admins may, even if other users may change everything else.
func mayRestrict(actor dam.Actor, c *dam.Collection) error {
	if actor.User.Role == dam.RoleAdmin || actor.User.ID == c.CreatedByID {
		return mayChangeCollections(actor)
	}
	return &dam.Error{Kind: dam.Denied, Msg: "Only the creator of the collection or an admin may change who may view it.",
		Abilities: []dam.Ability{}}
}

// mayRule checks whether an actor may set rules of a collection: it sees how many assets
// they match, as with a query.
func mayRule(actor dam.Actor, rules *dam.Filter) error {
	return mayQuery(actor, &dam.Query{Filter: rules})
}

// namesCollections reports whether an actor may see collection IDs in the requests of
// other users.
func namesCollections(actor dam.Actor) bool {
	return actor.May(dam.CollectionsRead) || actor.May(dam.CollectionsWrite)
}

// SeesViewers reports whether a viewer of a collection may see the other viewers.
func SeesViewers(actor dam.Actor, c *dam.Collection) bool {
	mine := actor.User != nil && (actor.User.Role == dam.RoleAdmin || actor.User.ID == c.CreatedByID)
	return mine || actor.May(dam.CollectionsWrite)
}

// Uploads.

func mayUpload(actor dam.Actor) error { return actor.Require(dam.UploadsManage) }

// mayManageRoots checks whether an actor may have external libraries scanned or forgotten.
func mayManageRoots(actor dam.Actor) error { return actor.RequireAdministration() }

// mayFillBatch checks whether an actor may create a batch, or upload files to it: its
// assets are added to collections and get metadata. A batch with a new version of an asset
// requires the right to change assets.
func mayFillBatch(actor dam.Actor, b *dam.Batch) error {
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

// seesAllBatches reports whether an actor may see other users' upload batches.
func seesAllBatches(actor dam.Actor) bool {
	return actor.User != nil && actor.User.Role == dam.RoleAdmin && actor.May(dam.UploadsManage)
}

// knowsBatch reports whether an actor may see a user's upload batches.
func knowsBatch(actor dam.Actor, of int64) bool {
	return actor.User != nil && actor.User.ID == of || seesAllBatches(actor)
}

// Users.

// mayManageUsers checks whether an actor may see, invite and change all users.
func mayManageUsers(actor dam.Actor) error { return actor.RequireAdministration() }

// mayManageSelf checks whether an actor may change its own account and end its sessions: a
// person may, a program with a token may not.
func mayManageSelf(actor dam.Actor) error { return actor.RequireSession() }

// mayReadTrail checks whether an actor may read the audit log.
func mayReadTrail(actor dam.Actor) error { return actor.RequireAdministration() }

// Definitions.

func mayReadDefinitions(actor dam.Actor) error { return actor.Require(dam.MetadataRead) }

// mayDefine checks whether an actor may change fields, vocabularies and classes.
func mayDefine(actor dam.Actor) error { return mayAdminister(actor, dam.MetadataWrite) }

// mayDefineTypes checks whether an actor may create and rename collection types.
func mayDefineTypes(actor dam.Actor) error { return mayAdminister(actor, dam.CollectionsWrite) }

// mayDeleteTypes checks whether an actor may delete collection types.
func mayDeleteTypes(actor dam.Actor) error { return mayAdminister(actor, dam.CollectionsDelete) }

// Images in other sizes.

// mayPreset checks whether an actor may change presets.
func mayPreset(actor dam.Actor) error { return mayAdminister(actor, dam.SharesManage) }

// maySignImages checks whether an actor may create image URLs that anyone can fetch.
func maySignImages(actor dam.Actor) error { return actor.Require(dam.SharesManage, dam.AssetsDownload) }

// Shares.

func mayReadShares(actor dam.Actor) error { return actor.Require(dam.SharesRead) }

// mayShare checks whether an actor may create and change shares, which requires the
// abilities to fetch the files.
func mayShare(actor dam.Actor) error {
	return actor.Require(dam.SharesManage, dam.AssetsRead, dam.AssetsDownload)
}

// sharingRoles returns the roles whose users may share. Guests can see a user's shares
// only while the user has one of these roles.
func sharingRoles() []dam.Role {
	return slices.DeleteFunc(dam.Values[dam.Role](), func(r dam.Role) bool {
		return mayShare(dam.Actor{User: &dam.User{Role: r}}) != nil
	})
}

func mayManageShares(actor dam.Actor) error { return actor.Require(dam.SharesManage) }

// seesShare reports whether an actor sees the shares of a user, 0 for all: users see their
// own, administrators see all.
func seesShare(actor dam.Actor, of int64) bool {
	return of == actor.User.ID || actor.RequireAdministration() == nil
}

func mayReadAnalytics(actor dam.Actor) error { return actor.Require(dam.AnalyticsRead) }
func mayReadAssetAnalytics(actor dam.Actor) error {
	return actor.Require(dam.AnalyticsRead, dam.AssetsRead)
}

// mayManageSite checks whether an actor may change the library's public appearance.
func mayManageSite(actor dam.Actor) error   { return actor.RequireAdministration() }
func mayReadConsents(actor dam.Actor) error { return actor.Require(dam.ConsentsRead) }

// mayAdminister checks whether an actor is an admin with an ability.
func mayAdminister(actor dam.Actor, ability dam.Ability) error {
	if err := actor.Require(ability); err != nil {
		return err
	}
	return actor.RequireAdmin()
}
