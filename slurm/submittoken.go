package slurm

import (
	"bytes"
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"time"
)

// A job has to carry its token in a member of the job description that the live queue and the accounting both give
// back. These were tried on a real Slurm 24.11.5, with v0.0.40 to v0.0.42 of the API:
//
//   - mcs_label comes back from both, with no setting of the cluster's, in all three versions, at once after a submit.
//     A plugin, mcs/none unless the cluster says otherwise, gives it a meaning; without one, Slurm stores the text and
//     looks at it for a job that shares nodes by label alone ("shared": ["mcs"]). The plugins mcs/user, mcs/group and
//     mcs/account refuse a text of ours with 2099, and mcs/label takes it. No table of squeue's or sacct's shows the
//     member unless it is asked for. Slurm keeps it so since 23.02 (job_mgr.c, the table of jobs of its database).
//   - extra and comment reach the accounting only where AccountingStoreFlags has job_extra and job_comment, and it is
//     empty by default. Comments are what people write. Where SchedulerParameters has extra_constraints, extra is an
//     expression: Slurm refuses a text that is none with 2171.
//   - wckey comes back from both as well. But where TrackWCKey is on, the database gets a key of its own for each job,
//     and the job leaves the user's default key; with AccountingStorageEnforce=wckeys Slurm refuses it with 2057.
//   - name comes back from both, and is seen by everybody: in squeue, in file names (%x), by "singleton".
//   - container and the standard files come back from both, v0.0.40 lacks the latter, and they change what runs.
//   - network, container_id and x11_target_host come back from the queue at best, and the environment and the script
//     from the accounting only where it is told to store them. REST knows no submit line.
//
// So it is mcs_label, and extra where mcs_label has another use: the live queue always has that, and the accounting
// often. Where neither is free, jobs carry no token.
var carriers = [...]carrier{
	{member: "mcs_label", busy: busyLabel, refusal: 2099},
	{member: "extra", busy: func(own map[string]any) bool { _, ok := own["extra"]; return ok }, refusal: 2171, passing: true},
}

// carrier is a member of the job description that can carry a token.
type carrier struct {
	member  string
	busy    func(own map[string]any) bool // whether JobSpec.Extra has another use for it
	refusal int                           // Slurm's number where the cluster gives the member a meaning
	passing bool                          // not every cluster's accounting keeps it
}

// busyLabel leaves the label alone if there is one, and if the job shares its nodes by it. The other ways of sharing,
// which the lines of scripts ask for as well, do not look at it. Before v0.0.42, "exclusive" is another name of "shared".
func busyLabel(own map[string]any) bool {
	if _, ok := own["mcs_label"]; ok {
		return true
	}
	for _, member := range []string{"shared", "exclusive"} {
		value, ok := own[member]
		if !ok {
			continue
		}
		text, err := encodeJSON(value)
		if err != nil || bytes.Contains(bytes.ToLower(text), []byte("mcs")) {
			return true
		}
	}
	return false
}

// tokenMark stands before a token in the job's record, so that nothing else is taken for one. With the marks of an
// expression in it, Slurm would take it for one where extra is an expression, and the job would wait for ever.
const tokenMark = "tc-submit:"

// tokenPrefix marks the tokens that NewSubmitToken makes, which tell when.
const tokenPrefix = "tc-"

var tokenEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// isToken keeps to tokenRule.
func isToken(s string) bool {
	const marks, letters = "._-", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	return len(s) >= 8 && len(s) <= 64 && strings.Trim(s, letters+marks) == "" && strings.IndexByte(letters, s[0]) >= 0
}

const tokenRule = `want 8 to 64 letters, digits, ".", "_" and "-", the first one no mark; NewSubmitToken makes one`

// NewSubmitToken returns a new token for [JobSpec].SubmitToken. It is random, and holds the present time by the local
// clock, which spares [Client.Recover] from looking further back. It starts with "tc-" and has 29 characters.
func NewSubmitToken() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	binary.BigEndian.PutUint64(b[:8], uint64(time.Now().UnixMilli())<<16|uint64(b[6])<<8|uint64(b[7]))
	return tokenPrefix + tokenEncoding.EncodeToString(b[:])
}

// tokenTime is when a token was made. ok is false for one that does not tell.
func tokenTime(token string) (made time.Time, ok bool) {
	text, ok := strings.CutPrefix(token, tokenPrefix)
	b, err := tokenEncoding.DecodeString(text)
	if !ok || err != nil || len(b) != 16 {
		return time.Time{}, false
	}
	return time.UnixMilli(int64(binary.BigEndian.Uint64(b) >> 16)), true
}

// WithoutSubmitToken makes a client submit jobs as they are described, with nothing added. A submit whose answer is
// lost then fails with [ErrUncertain] at once, and [Client.Recover] cannot help. A JobSpec's own SubmitToken is sent
// all the same.
//
// It is for clusters that use MCS labels in the way of the plugin mcs/label, where the token would pass for a label of
// the user's. Where a cluster refuses it, the client finds another place for it by itself, or leaves it out.
func WithoutSubmitToken() Option { return func(c *Client) { c.noTokens = true } }

// checkToken checks a token that a caller brings.
func (c *checker) checkToken(field, token string) {
	if token != "" && !isToken(token) {
		c.add(field, "not of the form of a submit token: %s", tokenRule)
	}
}

// readLabel reads the member that usually carries the token. A label that is none has no field: see Job.Raw.
func readLabel(d *decoder, j *Job, raw []byte) error {
	text, err := d.unshared(raw)
	if token, ok := cutToken(text); ok {
		j.SubmitToken = token
	}
	return err
}

// readExtra reads a text that is the user's own, unless it carries the token for want of another place.
func readExtra(d *decoder, j *Job, raw []byte) (err error) {
	j.Extra, err = d.unshared(raw)
	if token, ok := cutToken(j.Extra); ok {
		j.SubmitToken, j.Extra = token, ""
	}
	return err
}

func cutToken(text string) (token string, ok bool) {
	token, ok = strings.CutPrefix(text, tokenMark)
	return token, ok && isToken(token)
}

// noCarrier says that a job carries no token.
const noCarrier = -1

// carry chooses the first member that is free for the token.
func (c *Client) carry(s *submit) {
	s.carrier = noCarrier
	if s.token == "" {
		return
	}
	own := s.specs[0].Extra
	for i, candidate := range carriers {
		if !c.refuses[i].Load() && !candidate.busy(own) {
			s.carrier = i
			return
		}
	}
}

// withToken adds the token to the members of the leader, in its place among them.
func (s *submit) withToken(more []extraMember) []extraMember {
	if s.carrier == noCarrier {
		return more
	}
	token := extraMember{carriers[s.carrier].member, append(append([]byte(`"`+tokenMark), s.token...), '"')}
	i := slices.IndexFunc(more, func(m extraMember) bool { return m.name > token.name })
	if i < 0 {
		i = len(more)
	}
	return slices.Insert(more, i, token)
}

// refusesCarrier reports whether Slurm refused a submit for the member that carried its token, and remembers it.
func (c *Client) refusesCarrier(s *submit, err error) bool {
	refusal, ok := errors.AsType[*Error](err)
	if s.carrier == noCarrier || !ok || errors.Is(err, ErrUncertain) {
		return false
	}
	number := carriers[s.carrier].refusal
	if !slices.ContainsFunc(refusal.Problems, func(p Problem) bool { return p.Number == number }) {
		return false
	}
	c.refuses[s.carrier].Store(true)
	return true
}
