package app

import (
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Who may do what is said here and nowhere else. Each use case asks, in the
// transaction that acts where the answer depends on its state; that the
// interface has asked before, by what an operation declares, is the first door
// and not the only one. What a may function returns is nil or a Denied error
// with all that is missing.
//
// An ability is good for its own noun only, whatever the road: who reads assets
// without collections:read reads of no collection, and who does not administer
// knows no upload batch of others. In what an actor is shown, such things are
// left out; to ask for them by name is denied.

// viewer returns whose view of the collections an actor has who acts on them.
func viewer(actor dam.Actor) int64 {
	switch {
	case actor.User == nil:
		return storage.Nobody
	case actor.User.Role == dam.RoleAdmin:
		return storage.Everyone
	}
	return actor.User.ID
}

// reader returns whose view of the collections an actor has who is shown them.
func reader(actor dam.Actor) int64 {
	if !actor.May(dam.CollectionsRead) {
		return storage.Nobody
	}
	return viewer(actor)
}

// granted returns the abilities by which an actor is bound in what goes on
// without it: those of its token, nil without one.
func granted(actor dam.Actor) []dam.Ability {
	if actor.Token == nil {
		return nil
	}
	return actor.Token.Abilities
}

// onBehalf returns who acts for a user with what was granted.
func onBehalf(u *dam.User, granted []dam.Ability) dam.Actor {
	actor := dam.Actor{User: u}
	if granted != nil {
		actor.Token = &dam.Token{UserID: u.ID, Abilities: granted}
	}
	return actor
}

// Assets.

func mayReadAssets(actor dam.Actor) error     { return actor.Require(dam.AssetsRead) }
func mayDeleteAssets(actor dam.Actor) error   { return actor.Require(dam.AssetsDelete) }
func mayDownloadAssets(actor dam.Actor) error { return actor.Require(dam.AssetsDownload) }

// mayQuery says whether an actor may search like that: a filter or a facet over
// collections tells which assets are in them.
func mayQuery(actor dam.Actor, q *dam.Query) error {
	if q.AboutCollections() {
		return actor.Require(dam.AssetsRead, dam.CollectionsRead)
	}
	return mayReadAssets(actor)
}

// mayChangeAsset says whether an actor may change an asset like that. Metadata
// that is sent as it is changes nothing; the defaults that a class brings with
// it are the class's, not the actor's.
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

// Collections.

func mayReadCollections(actor dam.Actor) error   { return actor.Require(dam.CollectionsRead) }
func mayChangeCollections(actor dam.Actor) error { return actor.Require(dam.CollectionsWrite) }
func mayDeleteCollections(actor dam.Actor) error { return actor.Require(dam.CollectionsDelete) }

// mayFillCollections says whether an actor may put assets in collections and
// take them out, as far as it may view them.
func mayFillCollections(actor dam.Actor) error { return actor.Require(dam.CollectionsWrite) }

// mayRestrict says whether an actor may change who may view a collection: who
// made it and admins may, others who change collections change the rest.
func mayRestrict(actor dam.Actor, c *dam.Collection) error {
	if actor.User.Role == dam.RoleAdmin || actor.User.ID == c.CreatedByID {
		return mayChangeCollections(actor)
	}
	return &dam.Error{Kind: dam.Denied, Msg: "Only the creator of the collection or an admin may change who may view it.", Abilities: []dam.Ability{}}
}

// mayRule says whether an actor may have a collection fill itself by rules,
// whose count of assets it is shown: rules search, as a query does.
func mayRule(actor dam.Actor, rules *dam.Filter) error {
	return mayQuery(actor, &dam.Query{Filter: rules})
}

// namesCollections reports whether the IDs of collections mean something to an
// actor, where they stand in what somebody has asked for.
func namesCollections(actor dam.Actor) bool {
	return actor.May(dam.CollectionsRead) || actor.May(dam.CollectionsWrite)
}

// SeesViewers reports whether an actor who may view a collection sees who else
// may.
func SeesViewers(actor dam.Actor, c *dam.Collection) bool {
	return actor.User != nil && (actor.User.Role == dam.RoleAdmin || actor.User.ID == c.CreatedByID) || actor.May(dam.CollectionsWrite)
}

// Uploads.

func mayUpload(actor dam.Actor) error { return actor.Require(dam.UploadsManage) }

// mayFillBatch says whether an actor may make a batch like that, or push files
// into it: its assets go in collections and get metadata.
func mayFillBatch(actor dam.Actor, b *dam.Batch) error {
	need := []dam.Ability{dam.UploadsManage}
	if len(b.CollectionIDs) > 0 {
		need = append(need, dam.CollectionsWrite)
	}
	if len(b.Metadata) > 0 {
		need = append(need, dam.MetadataWrite)
	}
	return actor.Require(need...)
}

// seesAllBatches reports whether an actor knows the upload batches of others.
func seesAllBatches(actor dam.Actor) bool {
	return actor.User != nil && actor.User.Role == dam.RoleAdmin && actor.May(dam.UploadsManage)
}

// knowsBatch reports whether an actor knows the upload batches of a user.
func knowsBatch(actor dam.Actor, of int64) bool {
	return actor.User != nil && actor.User.ID == of || seesAllBatches(actor)
}

// mayReadTrail says whether an actor may read the audit trail.
func mayReadTrail(actor dam.Actor) error { return actor.RequireAdministration() }

// Definitions.

func mayReadDefinitions(actor dam.Actor) error { return actor.Require(dam.MetadataRead) }

// mayDefine says whether an actor may change fields, vocabularies and classes.
func mayDefine(actor dam.Actor) error { return mayAdminister(actor, dam.MetadataWrite) }

// mayDefineTypes says whether an actor may make and rename types of
// collections.
func mayDefineTypes(actor dam.Actor) error { return mayAdminister(actor, dam.CollectionsWrite) }

// mayDeleteTypes says whether an actor may delete types of collections.
func mayDeleteTypes(actor dam.Actor) error { return mayAdminister(actor, dam.CollectionsDelete) }

// mayAdminister says whether an actor is an administrator with an ability.
func mayAdminister(actor dam.Actor, ability dam.Ability) error {
	if err := actor.Require(ability); err != nil {
		return err
	}
	return actor.RequireAdmin()
}
