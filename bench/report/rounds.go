package main

import (
	"context"
	"slices"
	"time"
)

// A step is a command that is run once a round. make says what to run in a
// round, and makes what that needs: it is not measured.
type step struct {
	name string
	make func(round int) (command, error)
}

// samples are the processes of each step, in the order of the rounds.
type samples map[string][]process

// rounds are steps that are run in turn, again and again.
type rounds struct {
	name  string
	steps []step
	least int           // rounds that are run however long they take
	limit time.Duration // no round begins after that
}

// run runs at most most rounds and adds to into.
func (r rounds) run(ctx context.Context, watch stopwatch, most int, into samples) error {
	began := time.Now()
	for round := range most {
		if round >= r.least && time.Since(began) > r.limit {
			break
		}
		for _, s := range r.inOrder(round) {
			c, err := s.make(round)
			if err != nil {
				return err
			}
			p, err := watch.measure(ctx, c)
			if err != nil {
				return err
			}
			into[s.name] = append(into[s.name], p)
		}
	}
	return nil
}

// inOrder returns the steps of a round: every other one runs backwards, as a
// step may suffer from what the one before it has left.
func (r rounds) inOrder(round int) []step {
	steps := slices.Clone(r.steps)
	if round%2 == 1 {
		slices.Reverse(steps)
	}
	return steps
}

// always returns a step's make for a command that is the same in each round.
func always(args ...string) func(int) (command, error) {
	return func(int) (command, error) { return command{args: args}, nil }
}
