// Package render makes small pieces of HTML and SVG for notebooks. What it shows is text of others, such as the name of a
// job: all of it goes through [Writer], which escapes it, and is cut to a bounded length. There are no scripts, style
// sheets and ids, which could reach beyond the piece, and nothing is loaded from elsewhere. Each piece is well-formed XML.
package render
