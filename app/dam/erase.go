package dam

import "time"

// ErasedName replaces the name of an erased person. A database constraint checks it.
const ErasedName = "Erased person"

// ErasedKind is a kind of record from which a person is erased.
type ErasedKind string

// The kinds of records from which a person is erased.
const (
	ErasedConsents   ErasedKind = "consents"
	ErasedAccessLogs ErasedKind = "share_access_logs"
	ErasedVisits     ErasedKind = "share_visits"
	ErasedShareLists ErasedKind = "share_email_lists"
	ErasedFeedback   ErasedKind = "share_feedback"
	ErasedSearches   ErasedKind = "searches"
	ErasedAudit      ErasedKind = "audit_log"
	ErasedEvents     ErasedKind = "events"
	ErasedDeliveries ErasedKind = "webhook_deliveries"
	ErasedLabels     ErasedKind = "labels" // names and descriptions of objects that users created for themselves
	ErasedWork       ErasedKind = "operations_and_jobs"
)

// Values lists the kinds.
func (ErasedKind) Values() []ErasedKind {
	return []ErasedKind{ErasedConsents, ErasedAccessLogs, ErasedVisits, ErasedShareLists, ErasedFeedback, ErasedSearches, ErasedAudit,
		ErasedEvents, ErasedDeliveries, ErasedLabels, ErasedWork}
}

// Erased is the number of records of a kind from which a person is erased.
type Erased struct {
	Kind ErasedKind
	Rows int
}

// Named is a column that still contains the person's name, which the erasure keeps.
type Named struct {
	Column string // such as assets.creator
	Rows   int
}

// Erasure is the plan or the result of erasing a person's data.
type Erasure struct {
	Email   string
	Account *User // account with this address; nil for none
	Erased  []Erased
	Left    []Named
	At      *time.Time // completion time; nil for a plan
}

// Rows returns the number of records from which the person is erased.
func (e *Erasure) Rows() (n int) {
	for _, k := range e.Erased {
		n += k.Rows
	}
	return n
}
