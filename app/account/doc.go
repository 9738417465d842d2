// Package account manages users, sessions, tokens, invitations and passwords, and limits
// attempts to log in.
package account
