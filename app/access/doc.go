// Package access decides who may do what. All permission rules are in policy.go and
// policy_work.go. The other files find out who asks (caller.go), find what an actor may
// see (lookup.go), and remove from answers what an actor may not see (shown.go).
package access
