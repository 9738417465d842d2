package index

import (
	"sync"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// Schemas caches the metadata definitions. Another process may change them at any
// time, so their version is checked on each use.
type Schemas struct {
	Now func() time.Time

	mu     sync.Mutex
	schema *dam.Schema
}

// In returns the definitions as a transaction sees them. The transaction must not
// have changed them, since uncommitted definitions must not be cached.
func (c *Schemas) In(tx *storage.Tx) (*dam.Schema, error) {
	version, err := tx.DefinitionsVersion()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	have := c.schema
	c.mu.Unlock()
	if have != nil && have.Version == version {
		return have, nil
	}
	s, err := LoadSchema(tx, version, have)
	if err != nil {
		return nil, err
	}
	s.Now = c.Now
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.schema == nil || c.schema.Version < version || c.schema == have {
		c.schema = s
	}
	return s, nil
}

// ForSearch replaces the metadata of changed assets by their searchable metadata.
func (c *Schemas) ForSearch(tx *storage.Tx, changes []dam.Change) error {
	s, err := c.In(tx)
	if err != nil {
		return err
	}
	for _, ch := range changes {
		if ch.Asset != nil {
			ch.Asset.Metadata = s.ForSearch(ch.Asset.Metadata)
		}
	}
	return nil
}

// LoadSchema reads the definitions. It reuses the vocabularies in have whose
// version is unchanged.
func LoadSchema(tx *storage.Tx, version int64, have *dam.Schema) (*dam.Schema, error) {
	fields, err := tx.Fields()
	if err != nil {
		return nil, err
	}
	known := map[int64]*dam.Vocabulary{}
	if have != nil {
		for _, v := range have.Vocabularies {
			known[v.ID] = v
		}
	}
	list, err := tx.Vocabularies()
	if err != nil {
		return nil, err
	}
	vocabularies := make([]*dam.Vocabulary, len(list))
	for i, v := range list {
		if k := known[v.ID]; k != nil && k.Version == v.Version {
			vocabularies[i] = k
			continue
		}
		terms, err := tx.Terms(v.ID)
		if err != nil {
			return nil, err
		}
		vocabularies[i] = dam.NewVocabulary(v, terms)
	}
	return dam.NewSchema(version, fields, vocabularies), nil
}
