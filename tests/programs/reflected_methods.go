// Methods as values by reflection, and types that are made while the program runs.
package main

import (
	"fmt"
	"reflect"
	"strings"
)

type point struct{ X, Y int }

func (p point) Add(q point) point           { return point{p.X + q.X, p.Y + q.Y} }
func (p *point) Scale(n int)                { p.X *= n; p.Y *= n }
func (p point) Join(sep string, s ...any) string { return fmt.Sprint(p.X, sep, p.Y, len(s), s) }

func main() {
	p := &point{1, 2}
	v := reflect.ValueOf(p)
	add := v.MethodByName("Add").Interface().(func(point) point)
	fmt.Println(add(point{10, 20}))
	scale := v.MethodByName("Scale").Interface().(func(int))
	scale(3)
	fmt.Println(*p)
	join := v.Method(1).Interface().(func(string, ...any) string)
	fmt.Println(join("-", 1, "b"), join("+"))

	for i, t := 0, v.Type(); i < t.NumMethod(); i++ {
		m := t.Method(i)
		fmt.Println(m.Name, m.Type, m.Index, m.Func.Kind())
	}
	m, ok := reflect.TypeOf(*p).MethodByName("Add")
	fmt.Println(ok, m.Type, m.Func.Call([]reflect.Value{reflect.ValueOf(*p), reflect.ValueOf(point{1, 1})})[0])
	_, ok = reflect.TypeOf(*p).MethodByName("Scale")
	fmt.Println(ok, reflect.TypeOf(*p).NumMethod(), v.NumMethod())

	var target struct{ F func(point) point }
	reflect.ValueOf(&target).Elem().Field(0).Set(v.MethodByName("Add"))
	fmt.Println(target.F(point{100, 100}))

	in := []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[[]int]()}
	ft := reflect.FuncOf(in, []reflect.Type{reflect.TypeFor[int](), reflect.TypeFor[error]()}, true)
	fmt.Println(ft, ft == reflect.TypeFor[func(string, ...int) (int, error)](), reflect.FuncOf(nil, nil, false))
	f := reflect.MakeFunc(ft, func(a []reflect.Value) []reflect.Value {
		return []reflect.Value{reflect.ValueOf(len(a[0].String()) + a[1].Len()), reflect.Zero(reflect.TypeFor[error]())}
	})
	fmt.Println(f.Interface().(func(string, ...int) (int, error))("abc", 1, 2))

	st := reflect.StructOf([]reflect.StructField{
		{Name: "Name", Type: reflect.TypeFor[string](), Tag: `json:"name"`},
		{Name: "Sizes", Type: reflect.TypeFor[[2]int16]()},
		{Name: "More", Type: reflect.TypeFor[map[string]int]()},
	})
	fmt.Println(st, st.NumField(), st.Field(0).Tag.Get("json"))
	s := reflect.New(st).Elem()
	s.Field(0).SetString("n")
	s.Field(1).Index(1).SetInt(7)
	s.FieldByName("More").Set(reflect.ValueOf(map[string]int{"k": 1}))
	fmt.Printf("%v %+v\n", s, s.Interface())
	same := reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[int]()}, {Name: "B", Type: reflect.TypeFor[string]()}})
	fmt.Println(same == reflect.TypeFor[struct {
		A int
		B string
	}]())
	defer func() { fmt.Println(strings.HasPrefix(fmt.Sprint(recover()), "reflect.StructOf: field")) }()
	reflect.StructOf([]reflect.StructField{{Name: "a", Type: reflect.TypeFor[int]()}})
}
