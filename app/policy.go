package app

import (
	"slices"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Who may do what is decided in this file and policy_work.go, and nowhere else.
// Each use case asks, in the transaction that acts if the answer depends on what
// is stored. The API checks the abilities that a route declares before that, but
// this is not the only check. A may function returns nil, or a Denied error with
// all that is missing.
//
// An ability covers its own noun only, however one gets to it: without
// collections:read, one who reads assets reads nothing about collections, and
// only administrators know the upload batches of others. Such things are left out
// of what an actor is shown; asking for them by name is denied.

// viewer returns whose view of the collections counts when an actor changes them.
func viewer(actor dam.Actor) int64 {
	switch {
	case actor.User == nil:
		return storage.Nobody
	case actor.User.Role == dam.RoleAdmin:
		return storage.Everyone
	}
	return actor.User.ID
}

// reader returns whose view of the collections counts when they are shown to an
// actor.
func reader(actor dam.Actor) int64 {
	if !actor.May(dam.CollectionsRead) {
		return storage.Nobody
	}
	return viewer(actor)
}

// granted returns the abilities that limit what is done for an actor in the
// background: those of its token, nil without one.
func granted(actor dam.Actor) []dam.Ability {
	if actor.Token == nil {
		return nil
	}
	return actor.Token.Abilities
}

// onBehalf returns an actor for what is done for a user in the background, with
// the abilities that were granted.
func onBehalf(u *dam.User, granted []dam.Ability) dam.Actor {
	actor := dam.Actor{User: u}
	if granted != nil {
		actor.Token = &dam.Token{UserID: u.ID, Abilities: granted}
	}
	return actor
}

// seesAll reports whether an actor sees and manages what belongs to others: an
// admin, but not through a token.
func seesAll(actor dam.Actor) bool { return actor.Token == nil && actor.User.Role == dam.RoleAdmin }

// Assets.

func mayReadAssets(actor dam.Actor) error     { return actor.Require(dam.AssetsRead) }
func mayDeleteAssets(actor dam.Actor) error   { return actor.Require(dam.AssetsDelete) }
func mayDownloadAssets(actor dam.Actor) error { return actor.Require(dam.AssetsDownload) }

// mayMergeAssets says whether an actor may have an asset take over what is known of
// others, collections that it does not see included.
func mayMergeAssets(actor dam.Actor) error {
	return actor.Require(dam.AssetsDelete, dam.AssetsWrite, dam.CollectionsWrite)
}

// mayQuery says whether an actor may run a query: a filter or facet on
// collections reveals which assets are in them, and one on picks what guests say.
func mayQuery(actor dam.Actor, q *dam.Query) error {
	need := []dam.Ability{dam.AssetsRead}
	if q.AboutCollections() || q.Filter.AboutShares() { // which have the assets of collections
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

// mayChangeAsset says whether an actor may make a change to an asset. Metadata
// that is sent as it is counts as no change; the defaults of a new class are the
// class's, not the actor's.
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

// mayChangeBySidecar says whether an actor may change assets by sidecars that come without
// their files.
func mayChangeBySidecar(actor dam.Actor) error {
	return actor.Require(dam.AssetsWrite, dam.MetadataWrite)
}

// mayReplaceFiles says whether an actor may give assets new files, and earlier ones again.
func mayReplaceFiles(actor dam.Actor) error { return actor.Require(dam.AssetsWrite) }

// Collections.

func mayReadCollections(actor dam.Actor) error   { return actor.Require(dam.CollectionsRead) }
func mayChangeCollections(actor dam.Actor) error { return actor.Require(dam.CollectionsWrite) }
func mayDeleteCollections(actor dam.Actor) error { return actor.Require(dam.CollectionsDelete) }

// mayFillCollections says whether an actor may add assets to the collections that
// it may view, and remove them.
func mayFillCollections(actor dam.Actor) error { return actor.Require(dam.CollectionsWrite) }

// mayRestrict says whether an actor may change who may view a collection: only
// its creator and admins may, however else others may change it.
func mayRestrict(actor dam.Actor, c *dam.Collection) error {
	if actor.User.Role == dam.RoleAdmin || actor.User.ID == c.CreatedByID {
		return mayChangeCollections(actor)
	}
	return &dam.Error{Kind: dam.Denied, Msg: "Only the creator of the collection or an admin may change who may view it.",
		Abilities: []dam.Ability{}}
}

// mayRule says whether an actor may give a collection rules: it is shown how many
// assets they find, as with a query.
func mayRule(actor dam.Actor, rules *dam.Filter) error {
	return mayQuery(actor, &dam.Query{Filter: rules})
}

// namesCollections reports whether an actor may see the IDs of collections in
// what somebody has asked for.
func namesCollections(actor dam.Actor) bool {
	return actor.May(dam.CollectionsRead) || actor.May(dam.CollectionsWrite)
}

// SeesViewers reports whether an actor who may view a collection may see who else
// can.
func SeesViewers(actor dam.Actor, c *dam.Collection) bool {
	mine := actor.User != nil && (actor.User.Role == dam.RoleAdmin || actor.User.ID == c.CreatedByID)
	return mine || actor.May(dam.CollectionsWrite)
}

// Uploads.

func mayUpload(actor dam.Actor) error { return actor.Require(dam.UploadsManage) }

// mayManageRoots says whether an actor may have folders of files in place scanned or
// forgotten.
func mayManageRoots(actor dam.Actor) error { return actor.RequireAdministration() }

// mayFillBatch says whether an actor may create a batch, or upload files to it:
// its assets are added to collections and get metadata. Of one for a new version of an
// asset it is the asset that counts.
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

// seesAllBatches reports whether an actor may know the upload batches of others.
func seesAllBatches(actor dam.Actor) bool {
	return actor.User != nil && actor.User.Role == dam.RoleAdmin && actor.May(dam.UploadsManage)
}

// knowsBatch reports whether an actor may know the upload batches of a user.
func knowsBatch(actor dam.Actor, of int64) bool {
	return actor.User != nil && actor.User.ID == of || seesAllBatches(actor)
}

// People.

// mayManageUsers says whether an actor may see all users, invite and change them.
func mayManageUsers(actor dam.Actor) error { return actor.RequireAdministration() }

// mayManageSelf says whether an actor may change its own account and end its
// sessions: a person may, a program that has a token may not.
func mayManageSelf(actor dam.Actor) error { return actor.RequireSession() }

// mayReadTrail says whether an actor may read the audit trail.
func mayReadTrail(actor dam.Actor) error { return actor.RequireAdministration() }

// Definitions.

func mayReadDefinitions(actor dam.Actor) error { return actor.Require(dam.MetadataRead) }

// mayDefine says whether an actor may change fields, vocabularies and classes.
func mayDefine(actor dam.Actor) error { return mayAdminister(actor, dam.MetadataWrite) }

// mayDefineTypes says whether an actor may create and rename collection types.
func mayDefineTypes(actor dam.Actor) error { return mayAdminister(actor, dam.CollectionsWrite) }

// mayDeleteTypes says whether an actor may delete collection types.
func mayDeleteTypes(actor dam.Actor) error { return mayAdminister(actor, dam.CollectionsDelete) }

// Pictures in other sizes.

// mayPreset says whether an actor may change presets.
func mayPreset(actor dam.Actor) error { return mayAdminister(actor, dam.SharesManage) }

// maySignImages says whether an actor may make URLs of pictures that anyone can fetch.
func maySignImages(actor dam.Actor) error { return actor.Require(dam.SharesManage, dam.AssetsDownload) }

// Shares.

func mayReadShares(actor dam.Actor) error { return actor.Require(dam.SharesRead) }

// mayShare says whether an actor may make and change shares: they give guests what
// fetching the files takes.
func mayShare(actor dam.Actor) error {
	return actor.Require(dam.SharesManage, dam.AssetsRead, dam.AssetsDownload)
}

// sharingRoles returns the roles whose users may share: guests are shown what others have
// shared only while those have one of them.
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

// mayManageSite says whether an actor may change what the library looks like to others.
func mayManageSite(actor dam.Actor) error   { return actor.RequireAdministration() }
func mayReadConsents(actor dam.Actor) error { return actor.Require(dam.ConsentsRead) }

// mayAdminister says whether an actor is an admin with an ability.
func mayAdminister(actor dam.Actor, ability dam.Ability) error {
	if err := actor.Require(ability); err != nil {
		return err
	}
	return actor.RequireAdmin()
}
