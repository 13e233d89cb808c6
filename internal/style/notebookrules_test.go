package style

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// notebookRules are what gophernotes asks of a package, by the name that findings have.
var notebookRules = map[string]string{
	"generic":   "a generic type or function is skipped when the package is imported, and a generic alias stops the import",
	"instance":  "a parameter or field of a generic type cannot be written there, since the type arguments cannot",
	"interface": "the import generates a proxy of each interface, which must compile",
	"unique":    "proxies of two interfaces of the same name collide when both packages are imported in one cell",
	"next":      "range over functions does not work, so each iterator function has a twin with a method Next",
	"predicate": `comparing with a literal, as in job.State == "PENDING", is silently false, so each constant of an enum has a method that answers`,
	"option":    "packages like google.golang.org/api/option cannot be imported, so what makes their values is ours",
}

// finding is one symbol that breaks a rule.
type finding struct{ pkg, symbol, rule, detail string }

func (f finding) String() string {
	return fmt.Sprintf("%s.%s: %s: %s (%s)", f.pkg, f.symbol, f.rule, f.detail, notebookRules[f.rule])
}

// spared take a foreign type, and have a twin that does without.
var spared = map[string]string{"lro.WithBackoff": "WithPauses"}

// notebook checks packages that are used together.
type notebook struct {
	pkg      *types.Package
	told     map[string]bool // constants of the package: see [told]
	found    []finding
	proxies  map[string]string      // interface to package
	proxied  map[string]*types.Func // methods with a proxy in the package
	imported map[string]bool        // packages that the file with these proxies imports
	makes    map[string]bool        // types that a function of ours returns
	needs    map[string]finding     // foreign types that parameters ask for, with the first symbol that does
	packages []source
}

// source is a package with its files.
type source struct {
	*types.Package
	files []*ast.File
}

func checkNotebook(packages ...source) []finding {
	n := &notebook{proxies: map[string]string{}, makes: map[string]bool{}, needs: map[string]finding{}, packages: packages}
	for _, pkg := range packages {
		n.told = told(pkg.files)
		n.pkg, n.proxied, n.imported = pkg.Package, map[string]*types.Func{}, map[string]bool{}
		for _, name := range pkg.Scope().Names() {
			if obj := pkg.Scope().Lookup(name); obj.Exported() {
				n.object(obj)
			}
		}
		n.proxyImports()
	}
	for typ, f := range n.needs {
		if !n.makes[typ] {
			f.detail = fmt.Sprintf("it takes a %s, and nothing returns one", typ)
			n.found = append(n.found, f)
		}
	}
	return n.found
}

func (n *notebook) add(symbol, rule, format string, args ...any) {
	f := finding{n.pkg.Name(), symbol, rule, fmt.Sprintf(format, args...)}
	if !slices.Contains(n.found, f) {
		n.found = append(n.found, f)
	}
}

func (n *notebook) object(obj types.Object) {
	switch obj := obj.(type) {
	case *types.Func:
		n.function(obj.Name(), obj, nil)
	case *types.Var:
		n.written(obj.Name(), obj.Type())
	case *types.TypeName:
		n.typeName(obj)
	}
}

func (n *notebook) typeName(obj *types.TypeName) {
	switch t := obj.Type().(type) {
	case *types.Alias:
		if t.TypeParams().Len() > 0 {
			n.add(obj.Name(), "generic", "a generic alias")
		}
	case *types.Named:
		if t.TypeParams().Len() > 0 {
			n.add(obj.Name(), "generic", "a generic type")
			return
		}
		for i := range t.NumMethods() {
			if m := t.Method(i); m.Exported() {
				n.function(obj.Name()+"."+m.Name(), m, t)
			}
		}
		n.enum(obj, t)
	}
	switch under := obj.Type().Underlying().(type) {
	case *types.Interface:
		n.iface(obj, under)
	case *types.Struct:
		for i := range under.NumFields() {
			if f := under.Field(i); f.Exported() {
				n.written(obj.Name()+"."+f.Name(), f.Type())
			}
		}
	case *types.Signature:
		n.parameters(obj.Name(), under)
	}
}

// function checks a function, or a method of recv.
func (n *notebook) function(symbol string, f *types.Func, recv *types.Named) {
	sig := f.Signature()
	if sig.TypeParams().Len() > 0 {
		n.add(symbol, "generic", "a generic function")
		return
	}
	n.parameters(symbol, sig)
	for i := range sig.Results().Len() {
		walk(sig.Results().At(i).Type(), func(t *types.Named) { n.makes[t.Obj().Pkg().Path()+"."+t.Obj().Name()] = true })
	}
	if sig.Results().Len() == 1 && isSeq(sig.Results().At(0).Type()) && !n.hasTwin(f, recv) {
		n.add(symbol, "next", "no method with the same parameters gives something with a Next of the same values")
	}
}

// parameters checks what a caller has to write.
func (n *notebook) parameters(symbol string, sig *types.Signature) {
	for i := range sig.Params().Len() {
		typ := sig.Params().At(i).Type()
		n.written(symbol, typ)
		walk(typ, func(t *types.Named) {
			path := t.Obj().Pkg().Path()
			name := path + "." + t.Obj().Name()
			_, known := n.needs[name]
			if strings.Contains(path, ".") && !n.own(path) && !known && spared[n.pkg.Name()+"."+symbol] == "" {
				n.needs[name] = finding{n.pkg.Name(), symbol, "option", ""}
			}
		})
	}
}

func (n *notebook) own(path string) bool {
	return strings.HasPrefix(path, module) || slices.ContainsFunc(n.packages, func(p source) bool { return p.Path() == path })
}

// written checks a type that a caller may have to spell out, such as that of a function literal.
func (n *notebook) written(symbol string, typ types.Type) {
	walk(typ, func(t *types.Named) {
		if t.TypeArgs().Len() > 0 {
			n.add(symbol, "instance", "%s", t.Obj().Name())
		}
	})
}

func isSeq(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "iter"
}

// hasTwin looks for a Next on the receiver itself, or for a method beside f that leads to one.
func (n *notebook) hasTwin(f *types.Func, recv *types.Named) bool {
	args := types.Unalias(f.Signature().Results().At(0).Type()).(*types.Named).TypeArgs()
	if recv == nil {
		return slices.ContainsFunc(n.pkg.Scope().Names(), func(name string) bool {
			other, ok := n.pkg.Scope().Lookup(name).(*types.Func)
			return ok && isTwin(f, other, args)
		})
	}
	if gives(recv, args) {
		return true
	}
	methods := recv.Methods()
	if it, ok := recv.Underlying().(*types.Interface); ok {
		methods = it.Methods()
	}
	for m := range methods {
		if isTwin(f, m, args) {
			return true
		}
	}
	return false
}

func isTwin(f, other *types.Func, args *types.TypeList) bool {
	results := other.Signature().Results()
	return other.Exported() && types.Identical(f.Signature().Params(), other.Signature().Params()) &&
		results.Len() > 0 && gives(results.At(0).Type(), args)
}

// gives reports whether t has a method Next that returns one value for each of args.
func gives(t types.Type, args *types.TypeList) bool {
	if _, ok := t.(*types.Pointer); !ok && !types.IsInterface(t) {
		t = types.NewPointer(t)
	}
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "Next")
	next, ok := obj.(*types.Func)
	if !ok || next.Signature().Params().Len() > 0 || next.Signature().Results().Len() != args.Len() {
		return false
	}
	for i := range args.Len() {
		if !types.Identical(next.Signature().Results().At(i).Type(), args.At(i)) {
			return false
		}
	}
	return true
}

// walk calls f for each named type that is spelled in t, but not for what is inside of those, and not for builtin ones.
func walk(t types.Type, f func(*types.Named)) {
	walkArgs(t, false, func(t *types.Named, _ bool) { f(t) })
}

// walkArgs is walk for those who tell type arguments from other types.
func walkArgs(t types.Type, inArg bool, f func(t *types.Named, inArg bool)) {
	switch t := t.(type) {
	case *types.Alias:
		walkArgs(types.Unalias(t), inArg, f)
	case *types.Named:
		if t.Obj().Pkg() != nil {
			f(t, inArg)
		}
		for arg := range t.TypeArgs().Types() {
			walkArgs(arg, true, f)
		}
	case *types.Signature:
		for _, tuple := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range tuple.Variables() {
				walkArgs(v.Type(), inArg, f)
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			walkArgs(m.Type(), inArg, f)
		}
	case *types.Struct:
		for field := range t.Fields() {
			walkArgs(field.Type(), inArg, f)
		}
	case *types.Map:
		walkArgs(t.Key(), inArg, f)
		walkArgs(t.Elem(), inArg, f)
	case interface{ Elem() types.Type }:
		walkArgs(t.Elem(), inArg, f)
	}
}
