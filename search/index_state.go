package search

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/blevesearch/bleve/v2/index/scorch"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// indexState caches data of one state of the text index, which is valid for the same list
// of segments. Use its data only while the segments are open.
type indexState struct {
	segments []segment.Segment
	assets   []uint32 // the IDs of assets by document number, 0 for none

	mu     sync.RWMutex
	fields map[string][]*dictionary // of each field and segment
}

// dictionaries returns the dictionaries of a field in all segments, nil for segments that
// are not in files.
func (x *indexState) dictionaries(field string, segs []*scorch.SegmentSnapshot) ([]*dictionary, error) {
	x.mu.RLock()
	list, ok := x.fields[field]
	x.mu.RUnlock()
	if ok {
		return list, nil
	}
	list = make([]*dictionary, len(segs))
	for i, seg := range segs {
		var err error
		if list[i], err = storedDictionary(seg.Segment(), field); err != nil {
			return nil, err
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.fields[field] = list
	return list, nil
}

// indexStates caches the latest state, and the assets of the documents in each segment.
// Segments never change, so each is read once.
type indexStates struct {
	mu       sync.Mutex
	segments map[uint64][]uint32 // by ID
	latest   *indexState
}

// of returns the state of an index with some segments.
func (n *indexStates) of(segs []*scorch.SegmentSnapshot) (*indexState, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	// A segment keeps its ID when it is written to a file.
	same := func(seg *scorch.SegmentSnapshot, other segment.Segment) bool { return seg.Segment() == other }
	if n.latest != nil && slices.EqualFunc(segs, n.latest.segments, same) {
		return n.latest, nil
	}
	size := 0
	for _, seg := range segs {
		size += int(seg.FullSize())
	}
	x := &indexState{segments: make([]segment.Segment, len(segs)), assets: make([]uint32, 0, size), fields: map[string][]*dictionary{}}
	known := map[uint64][]uint32{}
	for i, seg := range segs {
		id, from := seg.Id(), len(x.assets)
		if assets, ok := n.segments[id]; ok {
			x.assets = append(x.assets, assets...)
		} else {
			var err error
			if x.assets, err = assetsIn(seg, x.assets); err != nil {
				return nil, err
			}
		}
		x.segments[i], known[id] = seg.Segment(), x.assets[from:]
	}
	for id, assets := range n.segments { // other searches may still use older segments; keep some of them
		if _, ok := known[id]; !ok && len(n.segments) < 2*len(segs)+8 {
			known[id] = slices.Clone(assets)
		}
	}
	n.segments, n.latest = known, x
	return x, nil
}

// assetsIn appends the assets of the documents in a segment to a list, 0 for none.
func assetsIn(seg *scorch.SegmentSnapshot, list []uint32) ([]uint32, error) {
	for i := range uint64(seg.FullSize()) {
		id, err := seg.DocID(i)
		if err != nil {
			return nil, err
		}
		asset := uint32(0)
		if len(id) == 4 {
			asset = binary.BigEndian.Uint32(id)
		}
		list = append(list, asset)
	}
	return list, nil
}
