package notebook

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// chunk is one declaration or statement at the top of a cell.
type chunk struct {
	text string
	line int
	kind token.Token // IMPORT, TYPE or FUNC for what is outside of functions in a program, ILLEGAL otherwise
}

// split takes a cell apart as the kernel reads it: declarations and statements may follow one another.
func split(source string) (chunks []chunk, err error) {
	var s scanner.Scanner
	set := token.NewFileSet()
	file := set.AddFile("cell", -1, len(source))
	s.Init(file, []byte(source), func(at token.Position, message string) { err = fmt.Errorf("%s: %s", at, message) }, 0)
	var kinds []token.Token // the first two tokens of the chunk
	begin, depth := 0, 0
	for {
		pos, tok, text := s.Scan()
		offset := file.Offset(pos)
		switch tok {
		case token.LPAREN, token.LBRACE, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACE, token.RBRACK:
			depth--
		}
		// A semicolon that is written may be part of an if or a for.
		if tok == token.EOF || tok == token.SEMICOLON && text != ";" && depth == 0 {
			if len(kinds) > 0 {
				chunks = append(chunks, chunk{source[begin:offset], file.Line(file.Pos(begin)), kindOf(kinds)})
			}
			begin, kinds = min(offset+1, len(source)), nil
			if tok == token.EOF {
				return chunks, err
			}
			continue
		}
		if len(kinds) < 2 {
			kinds = append(kinds, tok)
		}
	}
}

func kindOf(kinds []token.Token) token.Token {
	switch {
	case kinds[0] == token.IMPORT || kinds[0] == token.TYPE:
		return kinds[0]
	case kinds[0] == token.FUNC && len(kinds) > 1 && kinds[1] == token.IDENT:
		return token.FUNC
	}
	return token.ILLEGAL
}

// program makes one file of all cells. What is a statement goes into one function, cells, in which mark(n) tells that a
// cell begins, and result(…) has what the kernel would show. Each cell stands in a block inside of that of the cell
// before, so that one that is there twice declares its variables anew, as in the kernel. Lines of errors are those of the
// cells.
func program(sources []string) (string, error) {
	var imports, decls, body strings.Builder
	for i, source := range sources {
		chunks, err := split(source)
		if err != nil {
			return "", fmt.Errorf("cell %d: %w", i+1, err)
		}
		again := slices.Contains(sources[:i], source)
		fmt.Fprintf(&body, "mark(%d)\n{\n", i+1)
		for j, c := range chunks {
			to := &body
			switch c.kind {
			case token.IMPORT:
				to = &imports
			case token.TYPE, token.FUNC:
				to = &decls
			}
			if c.kind != token.ILLEGAL {
				if !again {
					fmt.Fprintf(to, "//line cell%d:%d\n%s\n", i+1, c.line, c.text)
				}
				continue
			}
			if err := write(to, fmt.Sprintf("//line cell%d:%d\n", i+1, c.line), c.text, j == len(chunks)-1); err != nil {
				return "", fmt.Errorf("cell %d: %w", i+1, err)
			}
		}
	}
	end := strings.Repeat("}\n", len(sources))
	return "package cells\n" + imports.String() + decls.String() + "func cells() {\n" + body.String() + end + "}\n", nil
}

// write writes a statement; if it is an expression and the last one of its cell, so that its value is shown.
func write(to *strings.Builder, line, text string, last bool) error {
	names, expression, err := statement(text)
	if err != nil {
		return err
	}
	if to.WriteString(line); expression && last {
		fmt.Fprintf(to, "result(%s,\n)\n", text)
		return nil
	}
	fmt.Fprintln(to, text)
	for _, name := range names {
		fmt.Fprintf(to, "_ = %s\n", name) // the kernel does not mind what is not used
	}
	return nil
}

// statement returns the variables that a statement declares, and whether it is an expression.
func statement(text string) (names []string, expression bool, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+text+"\n}\n", 0)
	if err != nil {
		return nil, false, err
	}
	for _, s := range file.Decls[0].(*ast.FuncDecl).Body.List {
		switch s := s.(type) {
		case *ast.ExprStmt:
			expression = true
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				for _, left := range s.Lhs {
					names = append(names, left.(*ast.Ident).Name)
				}
			}
		case *ast.DeclStmt:
			for _, spec := range s.Decl.(*ast.GenDecl).Specs {
				if spec, ok := spec.(*ast.ValueSpec); ok && s.Decl.(*ast.GenDecl).Tok == token.VAR {
					for _, name := range spec.Names {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return names, expression, nil
}
