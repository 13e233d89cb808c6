package slurm

import (
	"fmt"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// License is a kind of license that jobs can ask for.
type License struct {
	Name                        string
	Total, Used, Free, Reserved int
	Remote                      bool // managed by a license server, not by Slurm alone

	Odd []OddMember // members that could not be read, as in Job
}

// String returns the license in one line.
func (l *License) String() string {
	if l == nil {
		return "no license"
	}
	return foreign.Printable(fmt.Sprintf("license %s: %d of %d free", l.Name, l.Free, l.Total))
}

// decodeLicenses reads the list "licenses" of an answer: see [decodeRecords].
func decodeLicenses(r *reply) ([]*License, error) {
	var all []*License
	err := decodeRecords(r, "licenses", func(d *decoder, record *jsonx.Object) error {
		var l License
		l.Odd = eachOdd(record, func(name string, value []byte) error { return d.licenseMember(&l, name, value) })
		all = append(all, &l)
		return nil
	})
	return all, err
}

func (d *decoder) licenseMember(l *License, name string, raw []byte) (err error) {
	switch name {
	case "LicenseName":
		l.Name, err = d.text(raw)
	case "Total":
		l.Total, err = readCount(raw)
	case "Used":
		l.Used, err = readCount(raw)
	case "Free":
		l.Free, err = readCount(raw)
	case "Reserved":
		l.Reserved, err = readCount(raw)
	case "Remote":
		l.Remote, err = readBool(raw)
	}
	return err
}
