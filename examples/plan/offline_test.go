package main

import _ "github.com/trainingclusters/trainingclusters-go/internal/offline" // no test leaves this machine
