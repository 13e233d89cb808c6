/*
Package cluster manages the training clusters of Google's Gemini Enterprise Agent Platform: the resource
ModelDevelopmentCluster, node pools of Compute Engine VMs with a managed Slurm.

# Creating a client

A client serves one project and region and is safe for concurrent use. It takes the options of all Google Cloud
clients and by default uses Application Default Credentials:

	c, err := cluster.NewClient(ctx, "projects/my-project/locations/us-central1")

Package auth has other ways in, and says what to do when one fails.

# Reading

[Client.GetCluster] takes an id or a full name; [Client.ListClusters] pages by itself:

	m, err := c.GetCluster(ctx, "training")
	if errors.Is(err, cluster.ErrNotFound) {
		…
	}
	for m, err := range c.ListClusters(ctx, nil).All() {
		…
	}
	clusters, err := c.ListClusters(ctx, nil).Collect() // a table in a notebook

Names in answers carry the project's number, whatever the request said: compare [ModelDevelopmentCluster.ID], or
parse with [ParseName].

# Creating

A cluster is a struct; [ReadFile] and [Parse] make one of JSON or YAML in the spelling of the service's guides or of
its answers. Creation takes minutes, and what it returns at once is an [Operation]:

	spec, err := cluster.ReadFile("cluster.json")
	op, err := c.CreateCluster(ctx, "training", spec)
	err = op.Wait(ctx)
	m, err := op.Cluster()

Package lro tells how to watch an operation, to resume it in another process, and what its errors mean. A creation that
fails after it was accepted leaves a cluster that holds the id: [Client.DeleteFailedCluster] deletes that one and no
other.

# Updating, safely

An update can hurt in ways that its request does not show: lists and maps are replaced whole, a field that the mask
names and the request forgets is cleared, and by default the service moves nodes to a newer image, whatever the update
was about. [Client.EditCluster] takes care of that. It reads the cluster, lets a function change the struct, derives
the mask, and sends nothing that would cost nodes, sessions or jobs unless that kind of effect is allowed:

	op, err := c.EditCluster(ctx, "training", func(m *cluster.ModelDevelopmentCluster) error {
		m.NodePool("cpu").ScalingSpec.MaxNodeCount = 8
		return nil
	}, nil)
	fmt.Println(op.Plan()) // what changes, and what that does to nodes, images and Slurm

[Client.PlanEdit] gives the [Plan] and sends nothing; [PlanUpdate] works one out from two clusters in memory. What
becomes of images is said by an [ImagePolicy].

What a path of the mask replaces, always as a whole, and what a change there can cost:

	path                                              replaces              can cost
	labels                                            the map               nothing
	node_pools                                        all pools             POOL_REMOVAL NODE_REMOVAL NODE_RECREATION LOGIN_RECREATION
	orchestrator_spec.slurm_spec.partitions           all partitions        PARTITION_REMOVAL
	orchestrator_spec.slurm_spec.default_partition_id the name              nothing
	orchestrator_spec.slurm_spec.login_node_pool_id   the name              NODE_RECREATION LOGIN_RECREATION
	orchestrator_spec.slurm_spec.prolog_bash_scripts  all scripts           nothing
	orchestrator_spec.slurm_spec.epilog_bash_scripts  all scripts           nothing
	orchestrator_spec.slurm_spec.config               all parameters        nothing
	orchestrator_spec.slurm_spec.scheduling           the message           nothing
	orchestrator_spec.slurm_spec.accounting           the message           nothing
	orchestrator_spec.slurm_spec.node_sets            all node sets         nothing

The words are those of [EffectKind]. Images come on top: whatever the mask, [UpdateModeUserAndService] can replace the
nodes of every pool that is not pinned.

[Client.UpdateCluster] is the service's own call, with a mask and a mode of your choice. There the SDK asks for what
the service would assume:

  - The mask ([FieldMask]) says which fields change. Without one the service removes all that the request leaves
    out; here an empty mask is refused, and [AllFields] says that this is meant.
  - A field of the mask that is missing from the request is cleared. Here a mask that names a field which is not set
    is refused, and [Clear] says that this is meant.
  - Lists and maps are replaced whole. A node pool left out is deleted with its nodes; a parameter left out of
    [SlurmConfig] returns to its default. So read, change in place, and write back what was read: members that this
    version does not know survive that, at every level.
  - The mode ([UpdateMode]) has no default here. The service's own, USER_AND_SERVICE, resolves images anew and may
    replace every node.

An operation that succeeds proves that the service took the update, not that Slurm runs with it; new settings reach
Slurm within some 15 seconds, and some combinations keep its controller from starting. Package slurm waits for that:

	err = op.Wait(ctx, s.UntilReady())

# Checking

[ModelDevelopmentCluster.Validate] finds what the service would refuse and what is probably not meant, all at once and
by path. Creating and updating refuse the former before anything is sent; [WithoutValidation] is the way on if a rule
here is mistaken. [ReadDocument] reads a cluster from a file and knows the line and column of each part of it.

# Errors

A call that fails gives an [*Error]: a code, the fields the service complained about, the permission that is
missing and the role that has it, and whether the service may have acted on the call. What is wrong with a request
is found before it is sent, where it can be. Ask yes-or-no questions with errors.Is:

	errors.Is(err, cluster.ErrAlreadyExists)

The variable follows from the code, and what to do from both:

	code                  variable                what it means, and what to do
	INVALID_ARGUMENT      ErrInvalidArgument      the request is wrong: see Violations; it fails again as it is
	NOT_FOUND             ErrNotFound             no such cluster or operation, or none that the caller may see
	ALREADY_EXISTS        ErrAlreadyExists        the id is taken, perhaps by an earlier try of the same creation
	PERMISSION_DENIED     ErrPermissionDenied     a permission is missing: the error names it and a role that has it
	UNAUTHENTICATED       ErrUnauthenticated      no valid token: the hint of the *auth.Error inside says what to run
	RESOURCE_EXHAUSTED    ErrResourceExhausted    a quota is used up, or an answer is too large: wait, or ask for less
	FAILED_PRECONDITION   ErrFailedPrecondition   the cluster's state forbids it: wait for what goes on there
	ABORTED               ErrAborted              something else changed the cluster meanwhile: read it and start over
	UNIMPLEMENTED         ErrUnimplemented        the service has no such method there: check region and endpoint
	UNAVAILABLE           ErrUnavailable          nobody answered, after repetitions where they are safe: try later
	INTERNAL              -                       the service failed, or its answer makes no sense: see Transient
	UNKNOWN               -                       it fits no other: such as a redirect, or a certificate that is not trusted
	OUT_OF_RANGE          -                       not known of this service: a value lies outside of what there is
	DATA_LOSS             -                       not known of this service: it has lost data; ask its support
	DEADLINE_EXCEEDED     -                       a time limit was hit: if Unprocessed is not set, look before repeating
	CANCELLED             -                       the context was canceled: likewise

Work that was accepted and then failed is an *lro.OperationError, and a wait that ended early an *lro.WaitError.

# Retries

Whether a call is repeated depends on what it does and on how it failed. Reads are get, list, Slurm's GET and what is
marked with [RepeatAlways], and reading or canceling an operation; changes are create, update, delete and
reportFaultyNodes; all else of Slurm, such as a submit, is in the last column.

	failure                                             reads   changes   Slurm
	the connection cannot be made                       yes     yes       yes
	a token cannot be fetched for now                   yes     yes       yes
	429                                                 yes     yes       yes
	503 with Retry-After or RetryInfo                   yes     yes       no
	503 without, 408, 500, 502, 504                     yes     no        no
	the connection breaks, the reply is cut short       yes     no        no
	400, 401, 403, 404, 409, 501, a page of HTML        no      no        no
	no credentials, a certificate that is not trusted   no      no        no

There are up to 5 attempts. The pauses between them are of random length, at first up to half a second and each time
up to twice as much; if the server names one (Retry-After, RetryInfo), that is kept if it is a minute at most, and
otherwise left to the caller. Over all its calls a client keeps a budget, so that an outage is not made worse.
gax.WithRetry replaces this for one call. These numbers may change in any release.

# Time limits

Limits come from the context. A call whose context has no deadline ends after [DefaultTimeout]; gax.WithTimeout
sets another limit for one call.

# Slurm

[Client.CallSlurm] reaches the Slurm REST API of a cluster, and [Client.StreamSlurm] hands on an answer while it
arrives. Package slurm is built on them and gives jobs a type.

# Watching

[WithTracer] is an option of this package, for [NewClient] and for slurm.Open. A [Tracer] is told when each call starts
and ends, those of Slurm and of waits included, and each attempt at it: whether it is repeated, and after which pause.
[LogTracer] writes that to a [log/slog.Logger], and so do option.WithLogger and its twin auth.WithLogger, of which a client
with a LogTracer uses that alone. Without one of them tracing costs nothing.

The logs of calls say what was asked for and of which cluster, how large request and answer were, how long it took, and the
code, the reason and the request's id of a failure. Nothing of the request itself is in them, and nothing of the answer: no
header, no query of a Slurm path, no script or environment, and not what the service says of a failure either, since that
may quote what was sent. An [*Error] that a program gives to slog by itself logs those facts as well. Its text is meant for
the caller: it has the service's message and the whole Slurm path.

OpenTelemetry needs nothing from here. Google's transport makes a span of each attempt, with the propagator and the
provider that the program has set, and a span in the context is its parent; auth.WithoutTelemetry shuts that off. A client
brought by auth.WithHTTPClient has the instruments of its own transport and none besides:

	auth.WithHTTPClient(&http.Client{Transport: otelhttp.NewTransport(authenticated)})

A span around all attempts of a call is opened by a tracer. The context that it returns goes down to the transport, so that
the spans of the attempts are below that one:

	spans := otel.Tracer("training")
	cluster.WithTracer(&cluster.Tracer{
		CallStart: func(ctx context.Context, call *cluster.CallTrace) context.Context {
			ctx, _ = spans.Start(ctx, call.Op)
			return ctx
		},
		CallEnd: func(ctx context.Context, call *cluster.CallTrace) {
			span := trace.SpanFromContext(ctx)
			if call.Err != nil {
				span.SetStatus(otelcodes.Error, "") // the error's text may quote the request
			}
			span.End()
		},
	})

# Testing

Package clustertest is this service in memory, for tests of your own code.
*/
package cluster
