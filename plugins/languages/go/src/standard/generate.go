// Writes the exported declarations of packages of the standard library, as the pack reads them. The paths are the input:
// `grep "^== " packages.txt | cut -c4- | go run generate.go > new.txt`.
//
//go:build ignore

package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"sort"
	"strings"
)

// writer collects the declarations of one package.
type writer struct {
	own     *types.Package
	imports map[string]string
	lines   []string
}

func main() {
	load := importer.ForCompiler(token.NewFileSet(), "source", nil)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	paths, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	for _, path := range strings.Fields(string(paths)) {
		own, err := load.Import(path)
		if err != nil {
			panic(err)
		}
		w := &writer{own: own, imports: map[string]string{}}
		for _, name := range own.Scope().Names() {
			if ast.IsExported(name) {
				w.declare(own.Scope().Lookup(name))
			}
		}
		fmt.Fprintf(out, "== %s\npackage %s\n", path, own.Name())
		for _, path := range sorted(w.imports) {
			fmt.Fprintf(out, "import %s %q\n", w.imports[path], path)
		}
		for _, line := range w.lines {
			fmt.Fprintln(out, line)
		}
	}
}

func sorted(imports map[string]string) []string {
	var paths []string
	for path := range imports {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	return paths
}

// qualifier names another package, and imports it.
func (w *writer) qualifier(other *types.Package) string {
	if other == w.own {
		return ""
	}
	name := other.Name()
	for path, taken := range w.imports {
		if taken == name && path != other.Path() {
			name += "_"
		}
	}
	if known, ok := w.imports[other.Path()]; ok {
		return known
	}
	w.imports[other.Path()] = name
	return name
}

func (w *writer) text(own types.Type) string { return types.TypeString(own, w.qualifier) }

func (w *writer) add(format string, args ...any) { w.lines = append(w.lines, fmt.Sprintf(format, args...)) }

func (w *writer) declare(object types.Object) {
	switch object := object.(type) {
	case *types.Func:
		w.add("func %s%s%s", object.Name(), w.typeParams(object.Type().(*types.Signature).TypeParams()), w.signature(object))
	case *types.Var:
		w.add("var %s %s", object.Name(), w.text(object.Type()))
	case *types.Const:
		w.constant(object)
	case *types.TypeName:
		w.typeName(object)
	}
}

func (w *writer) constant(object *types.Const) {
	basic, ok := object.Type().(*types.Basic)
	if !ok || basic.Info()&types.IsUntyped == 0 {
		w.add("const %s %s = 0", object.Name(), w.text(object.Type()))
		return
	}
	values := map[types.BasicKind]string{
		types.UntypedBool: "true", types.UntypedInt: "0", types.UntypedRune: "'0'", types.UntypedFloat: "0.0",
		types.UntypedString: `""`,
	}
	w.add("const %s = %s", object.Name(), values[basic.Kind()])
}

// tuple writes the types of parameters or results, without their names.
func (w *writer) tuple(tuple *types.Tuple, isVariadic bool) string {
	var parts []string
	for i := 0; i < tuple.Len(); i++ {
		own := tuple.At(i).Type()
		if isVariadic && i+1 == tuple.Len() {
			slice, ok := own.(*types.Slice)
			if ok {
				parts = append(parts, "..."+w.text(slice.Elem()))
				continue
			}
		}
		parts = append(parts, w.text(own))
	}
	return strings.Join(parts, ", ")
}

func (w *writer) signature(function *types.Func) string {
	own := function.Type().(*types.Signature)
	text := "(" + w.tuple(own.Params(), own.Variadic()) + ")"
	switch own.Results().Len() {
	case 0:
	case 1:
		text += " " + w.text(own.Results().At(0).Type())
	default:
		text += " (" + w.tuple(own.Results(), false) + ")"
	}
	return text
}

func (w *writer) typeParams(list *types.TypeParamList) string {
	var parts []string
	for i := 0; i < list.Len(); i++ {
		parts = append(parts, list.At(i).Obj().Name()+" "+w.text(list.At(i).Constraint()))
	}
	if len(parts) == 0 {
		return ""
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func (w *writer) typeName(object *types.TypeName) {
	if object.IsAlias() {
		w.add("type %s = %s", object.Name(), w.text(types.Unalias(object.Type())))
		return
	}
	named := object.Type().(*types.Named)
	w.add("type %s%s %s", object.Name(), w.typeParams(named.TypeParams()), w.underlying(named.Underlying()))
	if types.IsInterface(named) {
		return
	}
	receiver := object.Name()
	if list := named.TypeParams(); list.Len() > 0 {
		var names []string
		for i := 0; i < list.Len(); i++ {
			names = append(names, list.At(i).Obj().Name())
		}
		receiver += "[" + strings.Join(names, ", ") + "]"
	}
	values := types.NewMethodSet(named)
	methods := types.NewMethodSet(types.NewPointer(named))
	for i := 0; i < methods.Len(); i++ {
		method := methods.At(i).Obj().(*types.Func)
		if !method.Exported() {
			continue
		}
		star := "*"
		if values.Lookup(method.Pkg(), method.Name()) != nil {
			star = ""
		}
		w.add("func (%s%s) %s%s", star, receiver, method.Name(), w.signature(method))
	}
}

// underlying writes the exported fields of a struct, all methods of an interface, or another type.
func (w *writer) underlying(own types.Type) string {
	switch own := own.(type) {
	case *types.Struct:
		var fields []string
		for i := 0; i < own.NumFields(); i++ {
			field := own.Field(i)
			switch {
			case !field.Exported():
			case field.Embedded():
				fields = append(fields, w.text(field.Type()))
			default:
				fields = append(fields, field.Name()+" "+w.text(field.Type()))
			}
		}
		return "struct{" + strings.Join(fields, "; ") + "}"
	case *types.Interface:
		if !own.IsMethodSet() {
			return w.text(own)
		}
		var methods []string
		for i := 0; i < own.NumMethods(); i++ {
			methods = append(methods, own.Method(i).Name()+w.signature(own.Method(i)))
		}
		return "interface{" + strings.Join(methods, "; ") + "}"
	default:
		return w.text(own)
	}
}
