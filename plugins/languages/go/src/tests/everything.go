//go:build linux && !cgo

// Package everything has every kind of node.
package everything

import "fmt"
import (
	. "math"
	str "strings"
	_ "embed"
)

const Pi, e = 3.14, 'e'
const (
	A = iota
	B
	C float64 = 1i
)

var x, y int
var (
	z = map[string][]int{"a": {1, 2}, `b`: nil}
	w struct{ a, b int }
)

type (
	Celsius float64
	Alias   = fmt.Stringer
)

type Cart[T any, K comparable] struct {
	Items, Old []T `json:"items"`
	*Base
	fmt.Stringer
	List[int]
	next  *Cart[T, K]
	grid  [4][...]int
	byKey map[K]T
	f     func(int, ...string) (n int, err error)
	c     chan<- int
	d     <-chan int
	g     interface{ Len() int }
}

type Number interface {
	~int | ~float64
	fmt.Stringer
	Add(a, b int) (sum int)
}

func plain()

func (c *Cart[T, K]) Add(items ...T) (n int, err error) {
	defer func() { recover() }()
	go c.run(items...)
	x, ok := c.g.(fmt.Stringer)
	c.Items = append(c.Items, items[1:]...)
	c.Items[0], y = c.Items[1:2:3][0], -1+2*3
	ch <- <-in
	x++
outer:
	for i := 0; i < 10 && !ok; i++ {
		continue outer
	}
	for range 10 {
		break
	}
	for k, v := range c.byKey {
		_, _ = k, v
	}
	for {
	}
	if v, ok := f(); ok {
		return 1, nil
	} else if v == nil {
		goto end
	} else {
		;
	}
	switch y := x.(type) {
	case int, *Cart[T, K]:
		fmt.Println(y)
		fallthrough
	default:
	}
	switch {
	case (x > 1):
	}
	select {
	case v := <-in:
		_ = v
	case ch <- 1:
	default:
	}
	var local = &Cart[int, string]{Items: []int{}, next: nil}
	{
		Max[int](1, 2)
	}
end:
	return
}

func Max[T ~int | ~string](a, b T) T { return a }
