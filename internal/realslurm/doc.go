// Package realslurm lets tests use a real Slurm: slurmctld, slurmdbd with MariaDB, four slurmd, and a slurmrestd for
// each of two users.
//
// # Running it
//
// The script beside this package brings a Slurm up, the bed, and takes it down. It needs root on Linux and Debian's
// registry, and no systemd:
//
//	internal/realslurm/realslurm.sh up    # a minute the first time, a second from then on
//	go test -tags realslurm ./internal/realslurm
//	internal/realslurm/realslurm.sh down
//
// Files that need the bed have the build tag realslurm, so that an ordinary go test neither needs nor skips them.
// [Connect] fails the test if the bed is not up. All tests share the one bed, also those of several packages that run
// at the same time: a test must not count on an empty queue, and packages whose tests stop daemons must not run beside
// others (go test -p 1).
//
// # The cluster
//
// It is Slurm 24.11 with the REST API's versions v0.0.40, v0.0.41 and v0.0.42:
//
//	users       alice, bob    account research, home /home/alice and /home/bob
//	partition   cpu (default) nodes n1, n2: 8 CPUs, 32,000 MiB; default limit 30 minutes, at most 1 day
//	partition   a4            nodes g1, g2: 16 CPUs, 64,000 MiB, 8 gres/gpu:b200; default 1 hour, at most 4 hours
//
// Jobs start within about a second of their submit, and leave the queue 5 to 15 seconds after their end. What else
// is set, and why, is in etc/slurm.conf.
//
// The GPUs are /dev/null under other names, and the nodes have as many CPUs and as much memory as they say, whatever
// the machine has. There are no cgroups, so that no job is killed for its memory.
//
// # As the service sees it
//
// [Bed.Handler] stands behind the test server of package clustertest, with a user's identity:
//
//	bed := realslurm.Connect(t)
//	srv := clustertest.NewServer(clustertest.WithTB(t), clustertest.WithSlurm(bed.Handler("alice")))
package realslurm
