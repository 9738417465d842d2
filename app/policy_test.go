package app_test

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
)

// free lists the use cases that any authenticated actor may call. Their reach
// depends on their subject: the actor's own tokens, webhooks and operations.
var free = []string{
	"CreateToken", "Tokens", "RevokeToken", // limited to the actor's own abilities
	"Webhooks", "Webhook", "CreateWebhook", "UpdateWebhook", "DeleteWebhook", "RotateWebhookSecret", // TestWebhookAbilities
	"Deliveries", "Redeliver", "TestWebhook", // TestWebhookAbilities
	"CancelOperation", "Open", // for operations that the actor sees: TestRoadsNeedTheSameAbility, TestAbilitiesTravel
	"OwnConsent",                                                     // the user's own consent
	"Follow",                                                         // limited to the actor's rights: TestStreamKeepsSecrets
	"Token",                                                          // the actor's own; others are not found
	"EventAsset", "EventShare", "EventOperation", "CollectionAsRead", // for an event whose reader has already been checked
}

// Every use case with an actor checks the actor's rights, regardless of earlier
// checks. New use cases are found by reflection.
func TestUseCasesAskThemselves(t *testing.T) {
	t.Parallel()
	r := run(t, t.TempDir(), func(c *app.Config) { c.Embeddings = app.EmbeddingsOff })
	asset := r.bring(t, "harbour")[0]
	viewer := &dam.User{Name: "Vi", Email: "vi@example.com", Role: dam.RoleViewer}
	if err := r.Accounts.CreateUser(t.Context(), viewer, ""); err != nil {
		t.Fatal(err)
	}
	powerless := dam.Actor{User: viewer, Token: &dam.Token{ID: 1, UserID: viewer.ID, Abilities: []dam.Ability{dam.AnalyticsRead}}}
	var asked int
	for name, method := range methods(r.App, r.Accounts, r.Exports) {
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

// methods returns the exported methods of values by their names.
func methods(of ...any) map[string]reflect.Value {
	all := map[string]reflect.Value{}
	for _, v := range of {
		for i := range reflect.TypeOf(v).NumMethod() {
			all[reflect.TypeOf(v).Method(i).Name] = reflect.ValueOf(v).Method(i)
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
