package style

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// chosen are the string enums whose constants need no predicates, and why: nobody reads values of them in a notebook.
var chosen = map[string]string{
	"cluster.FaultBehavior": "callers write it into a report, and no answer has it",
	"slurm.MailType":        "callers write it into a JobSpec, and no answer has it",
	"clustertest.Verb":      "it is for tests, which are compiled",
}

// enum checks a named string with constants: for each of these it has a method that returns whether the value is that one,
// such as state.Running(), or a method beside it says whether a set has it, such as job.Has(flag).
func (n *notebook) enum(obj *types.TypeName, t *types.Named) {
	if basic, ok := t.Underlying().(*types.Basic); !ok || basic.Kind() != types.String || n.inSet(t) {
		return
	}
	var missing []string
	for _, name := range n.pkg.Scope().Names() {
		c, ok := n.pkg.Scope().Lookup(name).(*types.Const)
		if ok && c.Exported() && types.Identical(c.Type(), t) && constant.StringVal(c.Val()) != "" && !n.told[obj.Name()+"."+name] {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		n.add(obj.Name(), "predicate", "no method tells whether it is %s", strings.Join(missing, ", "))
	}
}

// inSet reports whether a type of the package has a method that takes a t and answers yes or no.
func (n *notebook) inSet(t *types.Named) bool {
	for _, name := range n.pkg.Scope().Names() {
		obj, ok := n.pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || !obj.Exported() {
			continue
		}
		if holder, ok := obj.Type().(*types.Named); ok && asks(holder, t) {
			return true
		}
	}
	return false
}

func asks(holder *types.Named, t types.Type) bool {
	for m := range holder.Methods() {
		params, results := m.Signature().Params(), m.Signature().Results()
		if m.Exported() && params.Len() == 1 && types.Identical(params.At(0).Type(), t) &&
			results.Len() == 1 && types.Identical(results.At(0).Type(), types.Typ[types.Bool]) {
			return true
		}
	}
	return false
}

// told are the constants that methods tell from all others, as TYPE.CONSTANT: those with the body "return s == Constant".
func told(files []*ast.File) map[string]bool {
	found := map[string]bool{}
	for _, f := range files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || !fn.Name.IsExported() || fn.Type.Params.NumFields() > 0 || len(fn.Body.List) != 1 {
				continue
			}
			if c := compared(fn.Body.List[0]); c != "" {
				found[receiver(fn)+"."+c] = true
			}
		}
	}
	return found
}

// compared is the constant in "return s == Constant".
func compared(s ast.Stmt) string {
	ret, ok := s.(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return ""
	}
	equal, ok := ret.Results[0].(*ast.BinaryExpr)
	if !ok || equal.Op != token.EQL {
		return ""
	}
	if _, ok := equal.X.(*ast.Ident); !ok {
		return ""
	}
	name, _ := equal.Y.(*ast.Ident)
	if name == nil {
		return ""
	}
	return name.Name
}
