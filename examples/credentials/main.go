// Command credentials reads a cluster with the credentials that it is told to use, and says what is wrong with them.
//
//	go run ./examples/credentials    # each kind, against servers in the program that show what reaches them
//	go run ./examples/credentials -project my-project -cluster training    # application default credentials
//	go run ./examples/credentials -project my-project -cluster training -key key.json
//	go run ./examples/credentials -project my-project -cluster training -gcloud
//	go run ./examples/credentials -project my-project -cluster training -gcloud -as robot@my-project.iam.gserviceaccount.com
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"google.golang.org/api/option"

	"github.com/trainingclusters/trainingclusters-go/auth"
	"github.com/trainingclusters/trainingclusters-go/cluster"
	"github.com/trainingclusters/trainingclusters-go/examples/internal/demo"
)

func main() { demo.Main(run) }

func run(ctx context.Context, args []string, out io.Writer, opts ...option.ClientOption) error {
	flags := flag.NewFlagSet("credentials", flag.ContinueOnError)
	place := demo.Flags(flags)
	key := flags.String("key", "", "file with the key of a service account, or any other file with credentials")
	gcloud := flags.Bool("gcloud", false, "use what gcloud auth login has logged in")
	account := flags.String("as", "", "service account to impersonate, with the credentials of the other flags")
	opts, err := place.Parse(args, opts)
	switch {
	case err != nil:
		return err
	case *key != "" && *gcloud:
		return errors.New("-key and -gcloud are credentials of different kinds; give one of the two")
	case !place.Embedded():
		return read(ctx, out, place, append(opts, choose(*key, *gcloud, *account)...)...)
	case *key != "" || *gcloud || *account != "":
		return errors.New("-key, -gcloud and -as are for a real cluster; name its -project, too")
	}
	fmt.Fprintln(out, "What reaches a service in this program; with -project and no other flag it would be application default credentials.")
	return place.EachCredential(ctx, out, func(opts ...option.ClientOption) error { return read(ctx, out, place, opts...) })
}

// choose returns options for any client of this SDK; none for application default credentials.
func choose(key string, gcloud bool, account string) (opts []option.ClientOption) {
	switch {
	case gcloud:
		opts = append(opts, auth.WithGcloud()) // runs gcloud again before the token expires
	case key != "":
		opts = append(opts, auth.WithCredentialsFile(key))
	}
	if account != "" { // the others get tokens of the account, which then calls
		opts = []option.ClientOption{auth.WithServiceAccount(account, auth.ImpersonateBase(opts...))}
	}
	return opts
}

func read(ctx context.Context, out io.Writer, place *demo.Place, opts ...option.ClientOption) error {
	c, err := cluster.NewClient(ctx, place.Parent(), opts...)
	if err != nil {
		return err
	}
	m, err := c.GetCluster(ctx, place.Cluster)
	var refused *auth.Error
	if errors.As(err, &refused) {
		fmt.Fprintln(out, "What to do:", refused.Hint)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, m)
	return err
}
