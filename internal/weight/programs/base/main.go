// Command base calls the service by hand: it makes a client, tells of its memory, and sends nothing without an argument.
package main

import (
	"context"
	"fmt"
	"os"

	"google.golang.org/api/option"
	htransport "google.golang.org/api/transport/http"
)

func main() {
	client, endpoint, err := htransport.NewClient(context.Background(), option.WithoutAuthentication(),
		option.WithEndpoint("https://us-central1-aiplatform.googleapis.com"))
	if err != nil {
		panic(err)
	}
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		_, _ = os.Stdout.Write(status)
	}
	for _, path := range os.Args[1:] {
		reply, err := client.Get(endpoint + path)
		if err != nil {
			panic(err)
		}
		fmt.Println(reply.Status)
		_ = reply.Body.Close()
	}
}
