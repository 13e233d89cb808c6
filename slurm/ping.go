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
		// Whatever is odd in so small a record leaves the controller down: nobody gets hurt by that.
		_ = eachOdd(record, func(name string, value []byte) error { return d.pingMember(c, name, value) })
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
	case "pinged":
		c.Up = jsonx.Text(raw) == "UP"
	case "primary": // from v0.0.42 on
		c.Primary, err = jsonx.Bool(raw)
	case "mode":
		c.Mode, err = d.text(raw)
	case "latency":
		c.Latency, _, err = readSpan(raw, time.Microsecond)
	}
	return err
}
