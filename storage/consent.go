package storage

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/digital-asset-library/dal/app/dam"
)

// TermsHash returns the hash that identifies a text of terms: its SHA-256 in hexadecimal.
func TermsHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// keepTermsText permanently stores a text of terms and returns its hash.
func (tx *Tx) keepTermsText(text string) (hash string, err error) {
	hash = TermsHash(text)
	_, err = tx.exec("Terms", `INSERT OR IGNORE INTO terms_texts (hash, text) VALUES (?, ?)`, hash, text)
	return hash, err
}

// keepTermsTexts stores the texts of existing consents that can still be found in their
// shares or in events about those.
func (tx *Tx) keepTermsTexts() error {
	wanted := map[string]bool{}
	err := each(tx, func(r row) error {
		var hash string
		err := r.Scan(&hash)
		wanted[hash] = true
		return err
	}, `SELECT DISTINCT terms_text_hash FROM consents`)
	if err != nil || len(wanted) == 0 {
		return err
	}
	keep := func(r row) error {
		var text string
		if err := r.Scan(&text); err != nil || !wanted[TermsHash(text)] {
			return err
		}
		_, err := tx.keepTermsText(text)
		return err
	}
	if err := each(tx, keep, `SELECT terms_text FROM shares WHERE terms_text <> ''`); err != nil {
		return err
	}
	return each(tx, keep, `SELECT data ->> '$.TermsText' FROM events WHERE type IN ('share.created', 'share.revoked')
		AND json_valid(data) AND data ->> '$.TermsText' <> ''`)
}

// InsertConsent adds c and the text that was accepted, and sets its ID, hash and time.
func (tx *Tx) InsertConsent(c *dam.Consent) (err error) {
	c.AcceptedAt = tx.now
	if c.TermsTextHash, err = tx.keepTermsText(c.TermsText); err != nil {
		return err
	}
	c.ID, err = one[int64](tx, "Consent", `INSERT INTO consents (subject_name, subject_email, email_verified, terms_version, terms_text_hash,
		context, share_id, ip, user_agent, accepted_at, user_id) VALUES (?,?,?,?,?,?,?,?,?,?,?) RETURNING id`, c.SubjectName, c.SubjectEmail,
		c.EmailVerified, c.TermsVersion, c.TermsTextHash, c.Context, ref(c.ShareID), c.IP, c.UserAgent, msec(tx.now), ref(c.UserID))
	return err
}

// Consent returns a consent by its ID, with the text that was accepted.
func (tx *Tx) Consent(id int64) (*dam.Consent, error) {
	c, err := scanConsent(tx.tx.QueryRowContext(tx.ctx, `SELECT `+consentColumns+` FROM consents WHERE id = ?`, id))
	if err != nil {
		return nil, err
	}
	c.TermsText, err = one[string](tx, "Terms", `SELECT text FROM terms_texts WHERE hash = ?`, c.TermsTextHash)
	if dam.KindOf(err) == dam.NotFound {
		err = nil
	}
	return c, err
}

// UserConsent returns the consent of a user to a version of the terms of use.
func (tx *Tx) UserConsent(user, version int64) (*dam.Consent, error) {
	return scanConsent(tx.tx.QueryRowContext(tx.ctx, `SELECT `+consentColumns+` FROM consents WHERE user_id = ? AND terms_version = ?`,
		user, version))
}

const consentsWhere = ` FROM consents WHERE ?1 IN ('', context) AND ?2 IN (0, share_id) AND ?3 IN (0, terms_version)
	AND accepted_at >= ?4 AND accepted_at < ?5
	AND (?6 = '' OR instr(email_key(subject_name), ?6) > 0 OR instr(email_key(subject_email), ?6) > 0)`

func consentArgs(f dam.ConsentFilter) []any {
	from, to := int64(0), int64(1)<<62
	if !f.From.IsZero() {
		from = msec(f.From)
	}
	if !f.To.IsZero() {
		to = msec(f.To)
	}
	return []any{f.Context, f.Share, f.Version, from, to, EmailKey(f.Subject)}
}

// Consents returns consents, newest first, and their total number.
func (tx *Tx) Consents(f dam.ConsentFilter, p dam.Page) ([]*dam.Consent, int, error) {
	args := consentArgs(f)
	total, err := one[int](tx, "", `SELECT count(*)`+consentsWhere, args...)
	if err != nil {
		return nil, 0, err
	}
	all, err := list(tx, scanConsent, `SELECT `+consentColumns+consentsWhere+` ORDER BY id DESC LIMIT ?7 OFFSET ?8`,
		append(args, p.Limit, p.Offset)...)
	return all, total, err
}

// ConsentsBefore returns up to limit consents older than the one with the given ID,
// newest first; 0 starts at the newest.
func (tx *Tx) ConsentsBefore(f dam.ConsentFilter, id int64, limit int) ([]*dam.Consent, error) {
	return list(tx, scanConsent, `SELECT `+consentColumns+consentsWhere+` AND (?7 = 0 OR id < ?7) ORDER BY id DESC LIMIT ?8`,
		append(consentArgs(f), id, limit)...)
}

func scanUseTerms(r row) (*dam.UseTerms, error) {
	var t dam.UseTerms
	err := r.Scan(&t.Version, &t.Hash, timeCol{&t.SetAt}, optTimeCol{&t.EndedAt}, &t.Text)
	return &t, wrap(err, "Terms")
}

const selectUseTerms = `SELECT u.version, u.hash, u.set_at, u.ended_at, x.text FROM use_terms u JOIN terms_texts x ON x.hash = u.hash`

// UseTerms returns a version of the terms of use, or those in force for 0. It returns
// NotFound if they do not exist.
func (tx *Tx) UseTerms(version int64) (*dam.UseTerms, error) {
	return scanUseTerms(tx.tx.QueryRowContext(tx.ctx, selectUseTerms+` WHERE iif(?1 = 0, u.ended_at IS NULL, u.version = ?1)`, version))
}

// AllUseTerms returns all versions of the terms of use without their texts, newest first.
func (tx *Tx) AllUseTerms() ([]*dam.UseTerms, error) {
	return list(tx, scanUseTerms, `SELECT version, hash, set_at, ended_at, '' FROM use_terms ORDER BY version DESC`)
}

// EndUseTerms ends the terms of use in force, and reports whether there were any.
func (tx *Tx) EndUseTerms() (bool, error) {
	n, err := tx.exec("Terms", `UPDATE use_terms SET ended_at = ? WHERE ended_at IS NULL`, msec(tx.now))
	return n > 0, err
}

// InsertUseTerms adds a version of the terms of use, which takes effect immediately, and
// sets its number. Call EndUseTerms first.
func (tx *Tx) InsertUseTerms(t *dam.UseTerms) (err error) {
	t.SetAt = tx.now
	if t.Hash, err = tx.keepTermsText(t.Text); err != nil {
		return err
	}
	t.Version, err = one[int64](tx, "Terms", `INSERT INTO use_terms (hash, set_at) VALUES (?, ?) RETURNING version`, t.Hash, msec(tx.now))
	return err
}

// DueTerms returns the version of the terms of use that a user has to accept first, 0 for
// none.
func (tx *Tx) DueTerms(user int64) (int64, error) {
	version, err := one[int64](tx, "Terms", `SELECT version FROM use_terms u WHERE ended_at IS NULL
		AND NOT EXISTS (SELECT 1 FROM consents c WHERE c.user_id = ? AND c.terms_version = u.version)`, user)
	if dam.KindOf(err) == dam.NotFound {
		return 0, nil
	}
	return version, err
}
