package style

import (
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocLinksResolve: what stands in brackets in a doc comment of a public package is a symbol that exists.
func TestDocLinksResolve(t *testing.T) {
	links, of := 0, map[string]*linkChecker{}
	var sources []file
	for _, f := range files(t) {
		dir := filepath.ToSlash(filepath.Dir(f.path))
		if !slices.Contains(public, dir) || f.isTest() {
			continue
		}
		if of[dir] == nil {
			of[dir] = &linkChecker{t: t, pkg: publicPackage(t, dir), imports: map[string]string{}}
		}
		maps.Copy(of[dir].imports, importsOf(f.ast)) // as go doc does, by package
		sources = append(sources, f)
	}
	for _, f := range sources {
		for _, doc := range docsOf(f.ast) {
			of[filepath.ToSlash(filepath.Dir(f.path))].check(f.path, doc)
		}
	}
	for _, l := range of {
		links += l.links
	}
	if links < 300 {
		t.Errorf("found but %d links", links)
	}
}

// TestDocLinksAreSeenToBreak, each in its way.
func TestDocLinksAreSeenToBreak(t *testing.T) {
	parsed, err := parser.ParseFile(token.NewFileSet(), "x.go", "package cluster\nimport \"context\"\n", parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for text, broken := range map[string]bool{
		"See [Client], [*Client], [Client.GetCluster], [Tracer.CallEnd], [context.Context] and [net/http.Client].": false,
		"A list: [a, b], m[0], [x].":             false,
		"See [Clientele].":                       true,
		"See [Client.Fly].":                      true,
		"See [slurm.Client], not imported.":      true,
		"See [context.Kontext].":                 true,
		"So:\n\n\tindented := code[Clientele]\n": false,
		"As in [Client.Fly] and [Client].":       true,
		"A header.\n\n# On [Nothing]\n\nText.":   true,
	} {
		l := linkChecker{pkg: publicPackage(t, "cluster"), imports: importsOf(parsed)}
		if found := l.broken(text); (len(found) > 0) != broken {
			t.Errorf("%q: broken are %q", text, found)
		}
	}
}

// importsOf maps the names of what a file imports to import paths. The name of a package is guessed as go doc does.
func importsOf(f *ast.File) map[string]string {
	imports := map[string]string{}
	for _, spec := range f.Imports {
		full := strings.Trim(spec.Path.Value, `"`)
		name := path.Base(full)
		if regexp.MustCompile(`^v\d+$`).MatchString(name) {
			name = path.Base(path.Dir(full))
		}
		name = regexp.MustCompile(`^\w+`).FindString(strings.TrimPrefix(name, "go-"))
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imports[name] = full
	}
	return imports
}

// docsOf are the doc comments of a file that users see: of the package, of exported declarations, and of fields.
func docsOf(f *ast.File) (docs []string) {
	add := func(group *ast.CommentGroup) {
		if group != nil {
			docs = append(docs, group.Text())
		}
	}
	add(f.Doc)
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Name.IsExported() && exportedReceiver(n) {
				add(n.Doc)
			}
			return false
		case *ast.GenDecl:
			if n.Tok == token.IMPORT || !slices.ContainsFunc(n.Specs, exports) {
				return false
			}
			add(n.Doc)
		case *ast.TypeSpec:
			add(n.Doc)
		case *ast.ValueSpec:
			add(n.Doc)
		case *ast.Field:
			add(n.Doc)
		}
		return true
	})
	return docs
}

func exports(spec ast.Spec) bool {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		return spec.Name.IsExported()
	case *ast.ValueSpec:
		return slices.ContainsFunc(spec.Names, (*ast.Ident).IsExported)
	}
	return false
}

type linkChecker struct {
	t       *testing.T
	pkg     *types.Package
	imports map[string]string
	links   int
}

func (l *linkChecker) check(file, text string) {
	for _, link := range l.broken(text) {
		l.t.Errorf("%s: [%s] leads nowhere", file, link)
	}
}

// intended is what was meant as a link and did not become one.
var intended = regexp.MustCompile(`\[\*?((?:[a-z]\w*\.)?[A-Z]\w*(?:\.\w+)?)\]`)

func (l *linkChecker) broken(text string) (found []string) {
	p := &comment.Parser{
		LookupSym:     func(recv, name string) bool { return symbolIn(l.pkg, recv, name) },
		LookupPackage: l.lookupPackage,
	}
	var texts func(all []comment.Text) string
	texts = func(all []comment.Text) string {
		var plain strings.Builder
		for _, part := range all {
			switch part := part.(type) {
			case comment.Plain:
				plain.WriteString(string(part))
			case comment.Italic:
				plain.WriteString(string(part))
			case *comment.Link:
				plain.WriteString(texts(part.Text))
			case *comment.DocLink:
				l.links++
				if !l.exists(part) {
					found = append(found, strings.Trim(part.ImportPath+"."+part.Recv+"."+part.Name, "."))
				}
			}
		}
		return plain.String()
	}
	var blocks func(all []comment.Block)
	blocks = func(all []comment.Block) {
		for _, block := range all {
			switch block := block.(type) {
			case *comment.Paragraph:
				text = texts(block.Text)
			case *comment.Heading:
				text = texts(block.Text)
			case *comment.List:
				for _, item := range block.Items {
					blocks(item.Content)
				}
				continue
			default:
				continue // code
			}
			for _, m := range intended.FindAllStringSubmatch(text, -1) {
				found = append(found, m[1])
			}
		}
	}
	blocks(p.Parse(text).Content)
	return found
}

func (l *linkChecker) lookupPackage(name string) (string, bool) {
	if full, ok := l.imports[name]; ok {
		return full, true
	}
	if name == l.pkg.Name() {
		return "", true
	}
	return comment.DefaultLookupPackage(name)
}

// exists looks a link to another package up, as far as the compiler has seen that package.
func (l *linkChecker) exists(link *comment.DocLink) bool {
	if link.ImportPath == "" {
		return link.Name == "" || symbolIn(l.pkg, link.Recv, link.Name)
	}
	from, err := load()
	if err != nil || from.exports[link.ImportPath] == "" || link.Name == "" {
		return err == nil
	}
	pkg, err := from.from.Import(link.ImportPath)
	return err == nil && symbolIn(pkg, link.Recv, link.Name)
}

// symbolIn reports whether pkg exports name, or its type recv has a method or a field of that name.
func symbolIn(pkg *types.Package, recv, name string) bool {
	if recv == "" {
		obj := pkg.Scope().Lookup(name)
		return obj != nil && obj.Exported()
	}
	obj, ok := pkg.Scope().Lookup(recv).(*types.TypeName)
	if !ok {
		return false
	}
	member, _, _ := types.LookupFieldOrMethod(obj.Type(), true, pkg, name)
	return member != nil && member.Exported()
}
