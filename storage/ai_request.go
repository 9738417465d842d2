package storage

import "time"

// SpendAIRequest counts a request to the AI endpoint unless the budget of the current
// hour is used up. It reports whether the request may be sent.
func (tx *Tx) SpendAIRequest(most int) (bool, error) {
	used, err := tx.AIRequests()
	if err != nil || used >= most {
		return false, err
	}
	if _, err := tx.exec("", `DELETE FROM ai_requests WHERE hour <> ?`, hourOf(tx.now)); err != nil {
		return false, err
	}
	_, err = tx.exec("", `INSERT INTO ai_requests (hour, count) VALUES (?, 1)
		ON CONFLICT (hour) DO UPDATE SET count = count + 1`, hourOf(tx.now))
	return err == nil, err
}

// AIRequests returns the number of requests counted in the current hour.
func (tx *Tx) AIRequests() (int, error) {
	return one[int](tx, "", `SELECT coalesce(sum(count), 0) FROM ai_requests WHERE hour = ?`, hourOf(tx.now))
}

func hourOf(t time.Time) int64 { return t.Unix() / 3600 }
