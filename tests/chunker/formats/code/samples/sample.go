package sample

import (
	"fmt"
	"os"
)

// Limit is how many.
const Limit = 3

const (
	A = iota
	B
)

// Stack holds items.
type Stack struct {
	items []int
	name  string
}

type (
	// Reader reads.
	Reader interface {
		Read(data []byte) (int, error)
	}

	Pair struct {
		First  int
		Second int
	}
)

// Push puts an item on top.
//
//go:noinline
func (s *Stack) Push(item int) error {
	if item < 0 {
		return fmt.Errorf("negative")
	} else {
		s.items = append(s.items, item)
	}

	switch item {
	case 1:
		fmt.Println("one")
	default:
		fmt.Println("many")
	}
	return nil
}

func main() {
	stack := &Stack{
		name: "main",
	}
	os.Exit(len(stack.items))
}
