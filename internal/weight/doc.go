// Command weight says what the SDK costs a program before its first call: stripped size, time to build it again after a
// change, work and allocations of package initialization, resident memory, and with -cold the time to build all that it
// consists of, which each machine does once. It compares two pairs of programs:
//
//   - bare and imports link google.golang.org/api/option and transport/http, and the packages of this module, and call
//     none of them: what an import costs by itself;
//   - base and uses make a client and hold calls. Here the linker has to keep what the calls may need; by default that
//     is every exported method, because google.golang.org/grpc links the templates of its trace pages, which look
//     methods up by name. Programs built with -tags grpcnotrace are spared that.
//
// The difference of a pair is the SDK's: what its own packages take, and what other modules take that only it links
// (go.yaml.in/yaml/v3 above all). The command fails if the share of the former is not below its limit: 5 % of the
// program, and a little more than was reached where that is out of reach.
//
//	go run ./internal/weight
//
// The tests of this package hold the module to its budgets: modules, packages and imports of each public package, and
// the allocations of package initialization, which unlike times are the same on each machine.
package main
