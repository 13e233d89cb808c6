package slurm

import (
	"fmt"
	"time"

	"github.com/trainingclusters/trainingclusters-go/internal/foreign"
	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// Controller is one of the cluster's Slurm controllers, as Slurm's REST daemon finds it.
type Controller struct {
	Hostname string
	Up       bool
	Primary  bool
	Mode     string // "primary", "backup1", …
	Latency  time.Duration

	Odd []OddMember // members that could not be read, as in Job
}

// String returns the controller in one line.
func (c *Controller) String() string {
	if c == nil {
		return "no controller"
	}
	state := "DOWN"
	if c.Up {
		state = "UP"
	}
	return foreign.Printable(fmt.Sprintf("controller %s (%s) %s", c.Hostname, c.Mode, state))
}

// decodeControllers reads the list "pings" of an answer: see [decodeRecords].
func decodeControllers(r *reply) ([]*Controller, error) {
	var all []*Controller
	err := decodeRecords(r, "pings", func(d *decoder, record *jsonx.Object) error {
		c := new(Controller)
		c.Odd = eachOdd(record, func(name string, value []byte) error { return d.pingMember(c, name, value) })
		c.Primary = c.Primary || c.Mode == "primary"
		all = append(all, c)
		return nil
	})
	return all, err
}

func (d *decoder) pingMember(c *Controller, name string, raw []byte) (err error) {
	switch name {
	case "hostname":
		c.Hostname, err = d.text(raw)
	// Slurm deprecates its word in v0.0.42, where the boolean is new. Where neither can be read the controller is down:
	// nobody gets hurt by that.
	case "pinged":
		var word string
		word, err = d.text(raw)
		c.Up = c.Up || word == "UP"
	case "responding":
		var up bool
		up, err = readBool(raw)
		c.Up = c.Up || up
	case "primary": // from v0.0.42 on
		c.Primary, err = readBool(raw)
	case "mode":
		c.Mode, err = d.text(raw)
	case "latency":
		c.Latency, _, err = readSpan(raw, time.Microsecond)
	}
	return err
}
