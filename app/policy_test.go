package app_test

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/find"
)

// free lists the use cases that any authenticated actor may call. Their reach
// depends on their subject: the actor's own tokens, webhooks and operations.
var free = []string{
	"Accounts.CreateToken", "Accounts.Tokens", "Accounts.RevokeToken", // limited to the actor's own abilities
	"Accounts.Token", // the actor's own; others are not found
	// TestWebhookAbilities
	"Webhooks.List", "Webhooks.Get", "Webhooks.Create", "Webhooks.Update", "Webhooks.Delete", "Webhooks.RotateSecret",
	"Webhooks.Deliveries", "Webhooks.Redeliver", "Webhooks.Test", // TestWebhookAbilities
	"Operations.Cancel", "Exports.Open", // for operations that the actor sees: TestRoadsNeedTheSameAbility, TestAbilitiesTravel
	"Shares.OwnConsent", // the user's own consent
	"App.Follow",        // limited to the actor's rights: TestStreamKeepsSecrets
	// steps of other services, which have asked
	"Uploads.Upload", "Uploads.AddResumable", "Assets.WithCollections", "Assets.Dispose",
	// for an event whose reader has already been checked
	"Assets.EventAsset", "Shares.EventShare", "Operations.EventOperation", "Collections.CollectionAsRead",
}

// Every use case with an actor checks the actor's rights, regardless of earlier
// checks. New use cases are found by reflection.
func TestUseCasesAskThemselves(t *testing.T) {
	t.Parallel()
	r := run(t, t.TempDir(), func(c *app.Config) { c.Embeddings = find.EmbeddingsOff })
	asset := r.bring(t, "harbour")[0]
	viewer := &dam.User{Name: "Vi", Email: "vi@example.com", Role: dam.RoleViewer}
	if err := r.Accounts.CreateUser(t.Context(), viewer, ""); err != nil {
		t.Fatal(err)
	}
	powerless := dam.Actor{User: viewer, Token: &dam.Token{ID: 1, UserID: viewer.ID, Abilities: []dam.Ability{dam.AnalyticsRead}}}
	var asked int
	for name, method := range methods(
		r.App, r.Accounts, r.Exports, r.Assets, r.Collections, r.Definitions, r.Uploads, r.External, r.Operations, r.Shares, r.Images,
		r.Reports, r.Analyses, r.Webhooks, r.Maintenance,
	) {
		in := make([]reflect.Value, method.Type().NumIn())
		for n := range in {
			in[n] = argument(method.Type().In(n), powerless, asset.GAID)
		}
		isActor := func(v reflect.Value) bool { return v.Type() == reflect.TypeFor[dam.Actor]() }
		if !slices.ContainsFunc(in, isActor) || slices.Contains(free, name) {
			continue
		}
		asked++
		out := method.Call(in)
		err, _ := out[len(out)-1].Interface().(error)
		if dam.KindOf(err) != dam.Denied {
			t.Errorf("%s works for a token without abilities: %v", name, err)
		}
	}
	if asked < 40 {
		t.Errorf("only %d use cases were called", asked)
	}
}

// methods returns the exported methods of values by their types and names.
func methods(of ...any) map[string]reflect.Value {
	all := map[string]reflect.Value{}
	for _, v := range of {
		for i := range reflect.TypeOf(v).NumMethod() {
			all[reflect.TypeOf(v).Elem().Name()+"."+reflect.TypeOf(v).Method(i).Name] = reflect.ValueOf(v).Method(i)
		}
	}
	return all
}

// argument makes an argument of a type.
func argument(of reflect.Type, actor dam.Actor, gaid dam.GAID) reflect.Value {
	switch {
	case of == reflect.TypeFor[context.Context]():
		return reflect.ValueOf(context.Background())
	case of == reflect.TypeFor[dam.Actor]():
		return reflect.ValueOf(actor)
	case of == reflect.TypeFor[dam.GAID]():
		return reflect.ValueOf(gaid)
	case of.Kind() == reflect.Pointer:
		return reflect.New(of.Elem())
	case of.Kind() == reflect.Int64:
		return reflect.ValueOf(int64(1)).Convert(of)
	}
	return reflect.Zero(of)
}
