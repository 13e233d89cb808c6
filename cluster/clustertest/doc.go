// Package clustertest is an in-memory modelDevelopmentClusters service, for tests of code that uses package
// cluster or slurm.
//
// # Testing your own code
//
// Make a server, put a cluster on it, and hand its options to the client:
//
//	srv := clustertest.NewServer(clustertest.WithTB(t), clustertest.WithSlurm(slurmtest.NewServer()))
//	if err := srv.AddCluster("training", nil); err != nil {
//		t.Fatal(err)
//	}
//	c, err := cluster.NewClient(ctx, "projects/my-project/locations/us-central1", srv.ClientOptions()...)
//
// The client is the real one, down to its retries; only the network is replaced. [Server.Requests] shows what was
// sent, [Server.Cluster] what became of it.
//
// # Strictness
//
// The server refuses what the service is known or documented to refuse: unknown fields, wrong types, broken
// references between pools and partitions, settings that exclude each other, update masks outside the documented
// list. Errors have the service's form and, where they are known, its words; do not compare texts. It works on a
// field table of its own, so that a misspelled field name in a client does not pass. What is no request of this
// service at all, such as another host or API version, is answered with 501, which no client mistakes for an
// ordinary failure; [WithTB] makes it fail the test as well.
//
// Passing here does not prove that the service accepts a request: it knows machine types, zones and slurm.conf
// parameters that this server does not look at.
//
// # Time
//
// Operations take as long as in reality, minutes: see [WithOperationTime]. Nothing runs in the background; each
// request finds the server as it is at time.Now. Run such tests in a testing/synctest bubble, and the minutes
// pass at once:
//
//	synctest.Test(t, func(t *testing.T) {
//		srv := clustertest.NewServer()
//		c, err := cluster.NewClient(t.Context(), parent, srv.ClientOptions()...)
//		…
//		op, err := c.CreateCluster(t.Context(), "training", spec)
//		…
//		err = op.Wait(t.Context()) // eight minutes later, immediately
//	})
//
// In a bubble only the in-memory transport works: [Server.ClientOptions] or [Server.HTTPClient]. A server on a
// socket (httptest.NewServer) makes the test hang there, since a goroutine that waits for the network keeps the
// bubble's clock from moving.
//
// # A real socket
//
// Outside of bubbles the Server is an ordinary [net/http.Handler], for instance for a program in another process:
//
//	web := httptest.NewServer(clustertest.NewServer())
//	c, err := cluster.NewClient(ctx, parent, option.WithEndpoint(web.URL), option.WithoutAuthentication())
//
// # Failures
//
// [Server.Inject] makes requests fail in the ways of networks, proxies and services, once or several times:
//
//	srv.Inject(clustertest.Fault{Verb: clustertest.VerbGetOperation, Nth: 3, Times: 2})           // 503 twice
//	srv.Inject(clustertest.Fault{Verb: clustertest.VerbCallSlurm, Kind: clustertest.FaultDropAfter}) // done, answer lost
//
// A test that injects faults should end with [Server.PendingFaults] at 0: otherwise it has not seen them.
// [Server.FailNextOperation] lets an operation fail after it was accepted, [Server.Deny] takes a permission
// away, [WithTokenCheck] lets tokens expire.
//
// # What is not known about the service
//
// Much of the service's behavior is published, some is not. Where nothing is known the server takes the stricter
// way, and the comment on the option, method or constant in question says so. In particular: names of fields in
// nodesStatus other than nodeState; what happens to a call during another operation (FAILED_PRECONDITION here,
// UNAVAILABLE for Slurm calls); whether a failed cluster can be updated (no); immutable fields in a whole-resource
// update (refused if changed or missing); when the new settings of an update show (here: when its operation is
// done); which operations can be cancelled.
package clustertest
