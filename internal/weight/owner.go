package main

import (
	"os/exec"
	"strings"
)

const module = "github.com/trainingclusters/trainingclusters-go"

// owner says to whom a package of a program belongs.
type owner int

const (
	others  owner = iota // the program without the SDK has it as well
	own                  // of this module
	brought              // of another module, and linked on account of this one
)

// census knows the packages of both programs of a pair.
type census struct {
	without map[string]bool
	brought []string
}

// count lists the packages of a pair.
func count(p pair) (census, error) {
	c := census{without: map[string]bool{}}
	without, err := packages(p.without)
	if err != nil {
		return c, err
	}
	for _, path := range without {
		c.without[path] = true
	}
	with, err := packages(p.with)
	if err != nil {
		return c, err
	}
	for _, path := range with {
		if !c.without[path] && !strings.HasPrefix(path, module) {
			c.brought = append(c.brought, path)
		}
	}
	return c, nil
}

// owner of a package.
func (c census) owner(path string) owner {
	switch {
	case strings.HasPrefix(path, module+"/internal/weight/"):
		return others // the programs themselves
	case strings.HasPrefix(path, module):
		return own
	case c.without[path]:
		return others
	}
	return brought
}

// symbolOwner is the owner of a symbol. What a generic function becomes for a type of ours is ours.
func (c census) symbolOwner(name string) owner {
	if strings.Contains(name, module+"/") {
		return own
	}
	for _, path := range c.brought {
		if strings.Contains(name, path+".") {
			return brought
		}
	}
	return others
}

// packages lists what a program links, by import path.
func packages(program string) ([]string, error) {
	out, err := output(exec.Command("go", "list", "-deps", programs+program))
	return strings.Fields(out), err
}
