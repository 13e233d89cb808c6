package style

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
)

// gomacro, which gophernotes runs on, writes and compiles a proxy for each exported interface with methods. One that does
// not compile stops the import of the whole package.

var anyType = types.Universe.Lookup("any").Type()

func (n *notebook) iface(obj *types.TypeName, it *types.Interface) {
	if it.NumMethods() == 0 {
		return
	}
	if named, ok := obj.Type().(*types.Named); ok {
		n.ifaceMethods(named, it)
	}
	switch made, bad := hasProxy(it); {
	case bad != "":
		n.add(obj.Name(), "interface", "a method mentions %s", bad)
		return
	case !made:
		return // something unexported: no proxy is made, and the import is fine
	case !it.IsMethodSet():
		n.add(obj.Name(), "interface", "a constraint with methods")
		return
	}
	if other, ok := n.proxies[obj.Name()]; ok {
		n.add(obj.Name(), "unique", "package %s has one too", other)
	}
	n.proxies[obj.Name()] = n.pkg.Name()
	names := map[string]bool{}
	for m := range it.Methods() {
		names[m.Name()] = true
	}
	for m := range it.Methods() {
		where := obj.Name() + "." + m.Name()
		switch {
		case m.Name() == "Object":
			n.add(where, "interface", "the proxy has a field of this name")
		case names[m.Name()+"_"]:
			n.add(where, "interface", "the proxy has a field %s_", m.Name())
		}
		for p := range m.Signature().Params().Variables() {
			if name := p.Name(); name == "_" || name == "P" || name == "_proxy_obj_" {
				n.add(where, "interface", "a parameter is called %q", name)
			}
		}
		n.proxied[where] = m
		walkArgs(m.Signature(), false, func(t *types.Named, inArg bool) {
			path := t.Obj().Pkg().Path()
			if isInternal(path) {
				n.add(where, "interface", "it mentions the internal type %s.%s", path, t.Obj().Name())
			}
			if !inArg {
				n.imported[path] = true
			}
		})
	}
}

// ifaceMethods checks methods as those of other types are, and that an implementation can be written where there may be one.
func (n *notebook) ifaceMethods(named *types.Named, it *types.Interface) {
	sealed := false // with an unexported method, which keeps others from implementing it
	for m := range it.Methods() {
		sealed = sealed || !m.Exported()
	}
	for m := range it.Methods() {
		where := named.Obj().Name() + "." + m.Name()
		if m.Exported() {
			n.function(where, m, named)
		}
		if !sealed {
			n.written(where, m.Signature())
		}
	}
}

// typeArguments finds those that do not compile in the file with all proxies of a package: it imports what methods of
// interfaces mention, but not for type arguments alone.
func (n *notebook) typeArguments() {
	for where, m := range n.proxied {
		walkArgs(m.Signature(), false, func(t *types.Named, inArg bool) {
			if path := t.Obj().Pkg().Path(); inArg && !isInternal(path) && path != n.pkg.Path() && !n.imported[path] {
				n.add(where, "interface", "the type argument %s.%s is of a package that no method mentions otherwise", path, t.Obj().Name())
			}
		})
	}
}

// proxyImports checks what the file with a package's proxies and constants needs beside each single one.
func (n *notebook) proxyImports() {
	n.typeArguments()
	usable, exported := 0, 0
	for _, name := range n.pkg.Scope().Names() {
		obj := n.pkg.Scope().Lookup(name)
		if !obj.Exported() {
			continue
		}
		exported++
		if !generic(obj) {
			usable++
		}
		if c, ok := obj.(*types.Const); ok && overflows(c) {
			n.add(name, "interface", "an untyped constant beyond float64 stops the import")
		}
	}
	if exported > 0 && usable == 0 {
		n.add("*", "generic", "there is nothing else, which stops the import")
	}
}

func generic(obj types.Object) bool {
	switch t := obj.Type().(type) {
	case *types.Signature:
		return t.TypeParams().Len() > 0
	case *types.Named:
		return t.TypeParams().Len() > 0
	case *types.Alias:
		return t.TypeParams().Len() > 0
	}
	return false
}

func overflows(c *types.Const) bool {
	basic, ok := c.Type().(*types.Basic)
	if !ok || basic.Kind() != types.UntypedFloat {
		return false
	}
	const largest = 1.7976931348623157e308
	_, exact := constant.Float64Val(c.Val())
	return !exact && constant.Compare(c.Val(), token.GTR, constant.MakeFloat64(largest))
}

// hasProxy reports whether a proxy is made for the interface, and what in it the generator cannot spell.
func hasProxy(it *types.Interface) (made bool, bad string) {
	for m := range it.Methods() {
		if !m.Exported() {
			return false, ""
		}
		if made, bad := spells(m.Type()); !made || bad != "" {
			return made, bad
		}
	}
	return true, ""
}

// spells goes through a type as the generator does, which does not look into named types.
func spells(t types.Type) (made bool, bad string) {
	switch t := t.(type) {
	case *types.Basic:
		return true, ""
	case *types.Named:
		return t.Obj().Pkg() == nil || t.Obj().Exported(), ""
	case *types.Interface:
		return hasProxy(t)
	case *types.Map:
		return spellsAll(t.Key(), t.Elem())
	case *types.Signature:
		var all []types.Type
		for _, tuple := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range tuple.Variables() {
				all = append(all, v.Type())
			}
		}
		return spellsAll(all...)
	case *types.Struct:
		for f := range t.Fields() {
			if !f.Exported() {
				return false, ""
			}
			if made, bad := spells(f.Type()); !made || bad != "" {
				return made, bad
			}
		}
		return true, ""
	case *types.Alias:
		if t == anyType {
			return true, ""
		}
		return true, "the alias " + t.String()
	case *types.TypeParam:
		return true, "the type parameter " + t.String()
	case interface{ Elem() types.Type }: // array, channel, pointer, slice
		return spells(t.Elem())
	}
	return true, fmt.Sprintf("a %T", t)
}

func spellsAll(all ...types.Type) (made bool, bad string) {
	for _, t := range all {
		if made, bad := spells(t); !made || bad != "" {
			return made, bad
		}
	}
	return true, ""
}
