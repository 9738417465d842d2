package webhook

import (
	"encoding/base64"
	"testing"
	"time"
)

// Secrets from before the support of Standard Webhooks are URL-safe base64 without padding.
// Their signing key is the decoded bytes.
func TestStandardSignature(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, secret, want string }{
		// The example of https://www.standardwebhooks.com.
		{"of the specification", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="},
		{"older", "whsec_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_8", "v1,+cESNLCYMCKJT9yXT7cvwXBWS7epNId7xX4BpDwCZEY="},
	} {
		got := StandardSignature(tt.secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	if b, err := base64.StdEncoding.Strict().DecodeString(NewSecret()[len(secretPrefix):]); err != nil || len(b) != 33 {
		t.Errorf("a new secret has %d bytes: %v", len(b), err)
	}
}
