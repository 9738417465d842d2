package cli_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/storage"
)

// A change of definitions that affects very many assets takes effect immediately. Its
// events, one per asset, follow once a server runs, however often it is killed.
func TestKillTelling(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "lib")
	dal(t, "", "bench", "seed", "--data", data, "--assets", "1500", "--collections", "10")
	store := records(t, data)
	before := versions(t, store)
	told := func() (of map[dam.GAID]int) {
		t.Helper()
		of = map[dam.GAID]int{}
		err := store.View(t.Context(), func(tx *storage.Tx) error {
			events, err := tx.Events(0, 1_000_000)
			for _, e := range events {
				var asset dam.Asset
				if err := json.Unmarshal(e.Data, &asset); err != nil || e.Type != dam.AssetUpdated {
					continue
				}
				if asset.Metadata["region"] != nil || asset.Version != before[asset.ID]+1 {
					t.Errorf("asset %d of version %d is told of with %v", asset.ID, asset.Version, asset.Metadata)
				}
				of[asset.GAID]++
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return of
	}
	dal(t, "", "metadata", "apply", write(t, "fields: [{key: region, label: Region, type: text}]\n"), "--yes", "--data", data)
	dal(t, "", "metadata", "apply", write(t, "fields: []\n"), "--yes", "--allow-loss", "--data", data)
	for id, v := range versions(t, store) {
		if v != before[id]+1 {
			t.Fatalf("asset %d has version %d, had %d", id, v, before[id])
		}
	}
	if err := store.Update(t.Context(), func(tx *storage.Tx) error { // as when a batch has used up its attempts
		return tx.DropJobs(dam.JobFollow, 0)
	}); err != nil {
		t.Fatal(err)
	}
	tellOnce(t, data, len(before), told)
}

// Renaming a term that very many assets have takes effect immediately. The new label is
// searchable once the index has caught up, however often the server is killed.
func TestKillRename(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "lib")
	token := dal(t, "", "bench", "seed", "--data", data, "--assets", "1500", "--collections", "10")
	const defs = `
vocabularies: [{key: v, name: V, terms: [{key: one, label: %s}]}]
fields: [{key: region, label: Region, type: term, vocabulary: v}]
`
	store := records(t, data)
	err := store.Update(t.Context(), func(tx *storage.Tx) error {
		values, err := tx.MetadataValues("region", "", 1000)
		if err != nil {
			return err
		}
		one := map[string]any{}
		for _, v := range values {
			one[v.Text] = "one"
		}
		_, err = tx.ReplaceMetadata("region", one)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	dal(t, "", "metadata", "apply", write(t, fmt.Sprintf(defs, "Quokkaland")), "--yes", "--data", data)
	p := serve(t, data, "--embeddings", "off")
	total := func(q string) float64 {
		return p.get(t, token, "/assets?q="+q)["meta"].(map[string]any)["total"].(float64)
	}
	all := p.get(t, token, "/assets")["meta"].(map[string]any)["total"].(float64)
	follow := func(q string, want float64) {
		t.Helper()
		deadline, tick := time.After(2*time.Minute), time.NewTicker(10*time.Millisecond)
		defer tick.Stop()
		for n := total(q); n != want; n = total(q) {
			select {
			case <-tick.C:
			case <-deadline:
				t.Fatalf("%s finds %v, want %v", q, n, want)
			}
		}
	}
	follow("quokkaland", all)
	for i := range 3 {
		dal(t, "", "metadata", "apply", write(t, fmt.Sprintf(defs, fmt.Sprint("Wombat", i))), "--yes", "--data", data)
		p.kill()
		p = serve(t, data, "--embeddings", "off")
	}
	defer p.kill()
	follow("wombat2", all)
	follow("quokkaland", 0)
	follow("wombat1", 0)
}
