// Package endings holds the table by which every waiting call of this module is tested: the context of the wait ends at
// each moment at which a wait can be, in each way in which a context can end. A package says in a few lines what its call
// waits for, as a [Wait], and [Run] does the rest, in virtual time.
package endings
