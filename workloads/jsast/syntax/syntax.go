// Package syntax is the schema of a JavaScript syntax tree. It follows
// github.com/tdewolff/parse/v2/js, with these changes:
//
//   - A use of a variable is an Ident, which links to the Var. Scopes hold what they declare; the
//     AST holds names without a declaration.
//   - A Var has no Link: an Ident leads to the variable at the end of the chain.
//   - A Scope is a field of its statement, not embedded in it, because other nodes link to it.
//   - An import says whether it has a list, because an empty list and none are the same in a flat
//     tree.
//   - The map that finds variables by name is left out. A pass that needs it keeps a side
//     table.
package syntax

//go:generate go run github.com/coppice-go/coppice/cmd/coppice flat -out ../syntaxflat

// IStmt is a statement.
//
//flat:sum
//flat:root AST
type IStmt interface{ stmtNode() }

// IBinding is what a declaration binds.
//
//flat:sum
type IBinding interface{ bindingNode() }

// IExpr is an expression.
//
//flat:sum
type IExpr interface{ exprNode() }

// TokenType is a token.
type TokenType uint16

// OpPrec is a precedence.
type OpPrec int

// DeclType is how a variable is declared.
type DeclType uint16

// An Ident is a use of a variable.
type Ident struct {
	Var *Var `flat:"ref"`
}

func (*Ident) exprNode()    {}
func (*Ident) bindingNode() {}

// AST is the full ECMAScript abstract syntax tree.
type AST struct {
	List    []IStmt
	Scope   Scope
	Globals []*Var
}

// Var is a variable, where Decl is the type of declaration and can be var|function for
// function-scoped variables, let|const|class for block-scoped variables.
type Var struct {
	Data []byte `flat:"intern"`
	Uses uint16
	Decl DeclType `flat:"bits=4"`
}

// Scope is a function or block scope with a list of variables declared and used.
type Scope struct {
	Parent, Func   *Scope `flat:"ref"` // Parent is nil for global scope
	Declared       []*Var
	Undeclared     []*Var     `flat:"ref"`
	VarDecls       []*VarDecl `flat:"ref"`
	NumForDecls    int        `flat:"bits=24"` // offset into Declared to mark variables used in for statements
	NumFuncArgs    int        `flat:"bits=24"` // offset into Declared to mark variables used in function arguments
	NumArgUses     int        `flat:"bits=24"` // offset into Undeclared to mark variables used in arguments
	IsGlobalOrFunc bool
	HasWith        bool
}

// Comment is a block or line comment, usually a bang comment.
type Comment struct {
	Value []byte
}

// BlockStmt is a block statement.
type BlockStmt struct {
	List  []IStmt
	Scope Scope
}

// EmptyStmt is an empty statement.
type EmptyStmt struct{}

// ExprStmt is an expression statement.
type ExprStmt struct {
	Value IExpr
}

// IfStmt is an if statement.
type IfStmt struct {
	Cond IExpr
	Body IStmt
	Else IStmt // can be nil
}

// DoWhileStmt is a do-while iteration statement.
type DoWhileStmt struct {
	Cond IExpr
	Body IStmt
}

// WhileStmt is a while iteration statement.
type WhileStmt struct {
	Cond IExpr
	Body IStmt
}

// ForStmt is a regular for iteration statement.
type ForStmt struct {
	Init IExpr // can be nil
	Cond IExpr // can be nil
	Post IExpr // can be nil
	Body *BlockStmt
}

// ForInStmt is a for-in iteration statement.
type ForInStmt struct {
	Init  IExpr
	Value IExpr
	Body  *BlockStmt
}

// ForOfStmt is a for-of iteration statement.
type ForOfStmt struct {
	Await bool
	Init  IExpr
	Value IExpr
	Body  *BlockStmt
}

// CaseClause is a case clause or default clause for a switch statement.
type CaseClause struct {
	TokenType
	Cond IExpr // can be nil
	List []IStmt
}

// SwitchStmt is a switch statement.
type SwitchStmt struct {
	Init  IExpr
	List  []CaseClause
	Scope Scope
}

// BranchStmt is a continue or break statement.
type BranchStmt struct {
	Type  TokenType
	Label []byte // can be nil
}

// ReturnStmt is a return statement.
type ReturnStmt struct {
	Value IExpr // can be nil
}

// WithStmt is a with statement.
type WithStmt struct {
	Cond IExpr
	Body IStmt
}

// LabelledStmt is a labelled statement.
type LabelledStmt struct {
	Label []byte
	Value IStmt
}

// ThrowStmt is a throw statement.
type ThrowStmt struct {
	Value IExpr
}

// TryStmt is a try statement.
type TryStmt struct {
	Body    *BlockStmt
	Binding IBinding   // can be nil
	Catch   *BlockStmt // can be nil
	Finally *BlockStmt // can be nil
}

// DebuggerStmt is a debugger statement.
type DebuggerStmt struct{}

// Alias is a namespace import or import/export specifier for import/export statements.
type Alias struct {
	Name    []byte // can be nil
	Binding []byte // can be nil
}

// ImportStmt is an import statement.
type ImportStmt struct {
	HasList bool // also set for a list without items
	List    []Alias
	Default []byte // can be nil
	Module  []byte
}

// ExportStmt is an export statement.
type ExportStmt struct {
	List    []Alias
	Module  []byte // can be nil
	Default bool
	Decl    IExpr
}

// DirectivePrologueStmt is a string literal at the beginning of a function or module (usually "use
// strict").
type DirectivePrologueStmt struct {
	Value []byte
}

// PropertyName is a property name for binding properties, method names, and in object literals.
type PropertyName struct {
	Literal  LiteralExpr
	Computed IExpr // can be nil
}

// BindingArray is an array binding pattern.
type BindingArray struct {
	List []BindingElement
	Rest IBinding // can be nil
}

// BindingObjectItem is a binding property.
type BindingObjectItem struct {
	Key   *PropertyName // can be nil
	Value BindingElement
}

// BindingObject is an object binding pattern.
type BindingObject struct {
	List []BindingObjectItem
	Rest *Var `flat:"ref"` // can be nil
}

// BindingElement is a binding element.
type BindingElement struct {
	Binding IBinding // can be nil (in case of elision)
	Default IExpr    // can be nil
}

// VarDecl is a variable statement or lexical declaration.
type VarDecl struct {
	TokenType
	List             []BindingElement
	Scope            *Scope `flat:"ref"`
	InFor, InForInOf bool
}

// Params is a list of parameters for functions, methods, and arrow functions.
type Params struct {
	List []BindingElement
	Rest IBinding // can be nil
}

// FuncDecl is an (async) (generator) function declaration or expression.
type FuncDecl struct {
	Async     bool
	Generator bool
	Name      *Var `flat:"ref"` // can be nil
	Params    Params
	Body      BlockStmt
}

// ClassElementName is either a private method/field or a property name for a method/field.
type ClassElementName struct {
	PropertyName
	Private *Var `flat:"ref"` // can be nil
}

// MethodDecl is a method definition in a class declaration.
type MethodDecl struct {
	Static    bool
	Async     bool
	Generator bool
	Get       bool
	Set       bool
	Name      ClassElementName
	Params    Params
	Body      BlockStmt
}

// Field is a field definition in a class declaration.
type Field struct {
	Static bool
	Name   ClassElementName
	Init   IExpr // can be nil
}

// ClassElement is a class element that is either a static block, a field definition, or a class
// method.
type ClassElement struct {
	StaticBlock *BlockStmt  // can be nil
	Method      *MethodDecl // can be nil
	Field
}

// ClassDecl is a class declaration.
type ClassDecl struct {
	Name    *Var  `flat:"ref"` // can be nil
	Extends IExpr // can be nil
	List    []ClassElement
	Scope   Scope // for private elements
}

// LiteralExpr can be a this, null, boolean, numeric, string, or regular expression literal.
type LiteralExpr struct {
	TokenType
	Data []byte `flat:"intern"`
}

// Element is an array literal element.
type Element struct {
	Value  IExpr // can be nil
	Spread bool
}

// ArrayExpr is an array literal.
type ArrayExpr struct {
	List []Element
}

// Property is a property definition in an object literal.
type Property struct {
	// Either Name or Spread is set. If Spread is set, Value is an AssignmentExpression. If Init is
	// set, Value is an IdentifierReference; otherwise it can also be a MethodDefinition.
	Name   *PropertyName // can be nil
	Spread bool
	Value  IExpr // Var, MethodDecl, AssignExpr, or IdentExpr
	Init   IExpr // can be nil
}

// ObjectExpr is an object literal.
type ObjectExpr struct {
	List []Property
}

// TemplatePart is a template head or middle.
type TemplatePart struct {
	Value []byte
	Expr  IExpr
}

// TemplateExpr is a template literal or member/call expression, super property, or optional chain
// with template literal.
type TemplateExpr struct {
	Tag      IExpr // can be nil
	List     []TemplatePart
	Tail     []byte
	Prec     OpPrec `flat:"bits=6"`
	Optional bool
}

// GroupExpr is a parenthesized expression.
type GroupExpr struct {
	X IExpr
}

// IndexExpr is a member/call expression, super property, or optional chain with an index
// expression.
type IndexExpr struct {
	X        IExpr
	Y        IExpr
	Prec     OpPrec `flat:"bits=6"`
	Optional bool
}

// DotExpr is a member/call expression, super property, or optional chain with a dot expression.
type DotExpr struct {
	X        IExpr
	Y        IExpr  // LiteralExpr or Var
	Prec     OpPrec `flat:"bits=6"`
	Optional bool
}

// NewTargetExpr is a new target meta property.
type NewTargetExpr struct{}

// ImportMetaExpr is an import.meta meta property.
type ImportMetaExpr struct{}

// Arg is an argument of a call.
type Arg struct {
	Value IExpr
	Rest  bool
}

// Args is a list of arguments as used by new and call expressions.
type Args struct {
	List []Arg
}

// NewExpr is a new expression or new member expression.
type NewExpr struct {
	X    IExpr
	Args *Args // can be nil
}

// CallExpr is a call expression.
type CallExpr struct {
	X        IExpr
	Args     Args
	Prec     OpPrec `flat:"bits=6"`
	Optional bool
}

// UnaryExpr is an update or unary expression.
type UnaryExpr struct {
	Op TokenType
	X  IExpr
}

// BinaryExpr is a binary expression.
type BinaryExpr struct {
	Op   TokenType
	X, Y IExpr
}

// CondExpr is a conditional expression.
type CondExpr struct {
	Cond, X, Y IExpr
}

// YieldExpr is a yield expression.
type YieldExpr struct {
	Generator bool
	X         IExpr // can be nil
}

// ArrowFunc is an (async) arrow function.
type ArrowFunc struct {
	Async  bool
	Params Params
	Body   BlockStmt
}

// CommaExpr is a series of comma expressions.
type CommaExpr struct {
	List []IExpr
}

func (*Comment) stmtNode()               {}
func (*BlockStmt) stmtNode()             {}
func (*EmptyStmt) stmtNode()             {}
func (*ExprStmt) stmtNode()              {}
func (*IfStmt) stmtNode()                {}
func (*DoWhileStmt) stmtNode()           {}
func (*WhileStmt) stmtNode()             {}
func (*ForStmt) stmtNode()               {}
func (*ForInStmt) stmtNode()             {}
func (*ForOfStmt) stmtNode()             {}
func (*SwitchStmt) stmtNode()            {}
func (*BranchStmt) stmtNode()            {}
func (*ReturnStmt) stmtNode()            {}
func (*WithStmt) stmtNode()              {}
func (*LabelledStmt) stmtNode()          {}
func (*ThrowStmt) stmtNode()             {}
func (*TryStmt) stmtNode()               {}
func (*DebuggerStmt) stmtNode()          {}
func (*ImportStmt) stmtNode()            {}
func (*ExportStmt) stmtNode()            {}
func (*DirectivePrologueStmt) stmtNode() {}
func (*BindingArray) bindingNode()       {}
func (*BindingObject) bindingNode()      {}
func (*VarDecl) stmtNode()               {}
func (*FuncDecl) stmtNode()              {}
func (*ClassDecl) stmtNode()             {}
func (*VarDecl) exprNode()               {}
func (*FuncDecl) exprNode()              {}
func (*ClassDecl) exprNode()             {}
func (*MethodDecl) exprNode()            {}
func (*LiteralExpr) exprNode()           {}
func (*ArrayExpr) exprNode()             {}
func (*ObjectExpr) exprNode()            {}
func (*TemplateExpr) exprNode()          {}
func (*GroupExpr) exprNode()             {}
func (*DotExpr) exprNode()               {}
func (*IndexExpr) exprNode()             {}
func (*NewTargetExpr) exprNode()         {}
func (*ImportMetaExpr) exprNode()        {}
func (*NewExpr) exprNode()               {}
func (*CallExpr) exprNode()              {}
func (*UnaryExpr) exprNode()             {}
func (*BinaryExpr) exprNode()            {}
func (*CondExpr) exprNode()              {}
func (*YieldExpr) exprNode()             {}
func (*ArrowFunc) exprNode()             {}
func (*CommaExpr) exprNode()             {}
