package storage

import (
	"encoding/binary"
	"fmt"
	"math"
)

// AssetVector is the embedding of an asset's text by a model.
type AssetVector struct {
	AssetID  int64
	Model    string
	Values   []float32 // nil when the text has no embedding
	TextHash []byte    // SHA-256 of the text
	Err      string    // why the model refused the text; "" if it did not
}

// PutVector stores v, unless its asset no longer exists.
func (tx *Tx) PutVector(v *AssetVector) error {
	blob := make([]byte, 0, 4*len(v.Values))
	for _, x := range v.Values {
		blob = binary.LittleEndian.AppendUint32(blob, math.Float32bits(x))
	}
	_, err := tx.exec("", `INSERT INTO asset_vectors (asset_id, model, dimension, vector, text_hash, error)
		SELECT id, ?2, ?3, ?4, ?5, ?6 FROM assets WHERE id = ?1
		ON CONFLICT (asset_id) DO UPDATE SET model = excluded.model, dimension = excluded.dimension, vector = excluded.vector,
			text_hash = excluded.text_hash, error = excluded.error`, v.AssetID, v.Model, len(v.Values), blob, v.TextHash, v.Err)
	return err
}

// Vectors calls yield for up to limit vectors of a model, in order of asset, starting
// after one.
func (tx *Tx) Vectors(model string, after int64, limit int, yield func(*AssetVector)) error {
	return each(tx, func(r row) error {
		v, err := scanVector(r)
		if err == nil {
			yield(v)
		}
		return err
	}, vectorQuery+` WHERE model = ? AND asset_id > ? ORDER BY asset_id LIMIT ?`, model, after, limit)
}

// VectorsOf returns the vectors of assets, of any model.
func (tx *Tx) VectorsOf(assets []int64) (map[int64]*AssetVector, error) {
	all := map[int64]*AssetVector{}
	return all, each(tx, func(r row) error {
		v, err := scanVector(r)
		if err == nil {
			all[v.AssetID] = v
		}
		return err
	}, vectorQuery+` WHERE asset_id IN (SELECT value FROM json_each(?))`, ids(assets))
}

const vectorQuery = `SELECT asset_id, model, vector, text_hash, error FROM asset_vectors`

func scanVector(r row) (*AssetVector, error) {
	var v AssetVector
	var blob []byte
	if err := r.Scan(&v.AssetID, &v.Model, &blob, &v.TextHash, &v.Err); err != nil {
		return nil, err
	}
	if len(blob)%4 != 0 {
		return nil, fmt.Errorf("the vector of asset %d has %d bytes", v.AssetID, len(blob))
	}
	if len(blob) > 0 {
		v.Values = make([]float32, len(blob)/4)
		for i := range v.Values {
			v.Values[i] = math.Float32frombits(binary.LittleEndian.Uint32(blob[4*i:]))
		}
	}
	return &v, nil
}

// VectorModel counts the vectors of a model.
type VectorModel struct {
	Model   string
	Vectors int // assets with an entry
	Refused int // of them, those whose text the model refused
}

// VectorModels returns the models that have vectors.
func (tx *Tx) VectorModels() ([]VectorModel, error) {
	return list(tx, func(r row) (m VectorModel, err error) { return m, r.Scan(&m.Model, &m.Vectors, &m.Refused) },
		`SELECT model, count(*), sum(error <> '') FROM asset_vectors GROUP BY model ORDER BY model`)
}

// DeleteVectors removes all vectors of a model.
func (tx *Tx) DeleteVectors(model string) error {
	_, err := tx.exec("", `DELETE FROM asset_vectors WHERE model = ?`, model)
	return err
}
