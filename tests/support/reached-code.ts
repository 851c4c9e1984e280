import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";

interface Code {
  file: string;
  node: ts.Node;
}

interface Import {
  file: string;
  name: string;
}

type Names = Map<string, Import | ts.Node>;

const EXTENSIONS = [".ts", ".tsx", "/index.ts", "/index.server.ts"];

function fileOf(from: string, specifier: string): string | undefined {
  if (!/^(?:~\/|\.)/.test(specifier)) return undefined;
  const base = specifier.startsWith("~/") ? join("app", specifier.slice(2)) : join(dirname(from), specifier);
  return EXTENSIONS.map((extension) => base + extension).find((file) => existsSync(file));
}

function noteSpecifiers(
  names: Names,
  file: string | undefined,
  list: readonly (ts.ImportSpecifier | ts.ExportSpecifier)[],
): void {
  if (file)
    for (const { name, propertyName } of list)
      names.set(name.text, { file, name: (propertyName ?? name).text });
}

function noteBinding(names: Names, name: ts.BindingName, node: ts.Node): void {
  if (ts.isIdentifier(name)) names.set(name.text, node);
  else for (const one of name.elements) if (!ts.isOmittedExpression(one)) noteBinding(names, one.name, node);
}

function noteStatement(names: Names, from: string, statement: ts.Statement): void {
  const module =
    (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)) && statement.moduleSpecifier;
  const file = module && ts.isStringLiteral(module) ? fileOf(from, module.text) : undefined;
  if (ts.isImportDeclaration(statement)) {
    const bindings = statement.importClause?.namedBindings;
    if (bindings && ts.isNamedImports(bindings)) noteSpecifiers(names, file, bindings.elements);
  } else if (ts.isExportDeclaration(statement)) {
    const clause = statement.exportClause;
    if (clause && ts.isNamedExports(clause)) noteSpecifiers(names, file, clause.elements);
  } else if (ts.isVariableStatement(statement)) {
    for (const one of statement.declarationList.declarations) noteBinding(names, one.name, one);
  } else if ((ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) && statement.name)
    names.set(statement.name.text, statement);
}

const parsed = new Map<string, { source: ts.SourceFile; names: Names }>();

function parse(file: string): { source: ts.SourceFile; names: Names } {
  const known = parsed.get(file);
  if (known) return known;
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest);
  const names: Names = new Map();
  for (const statement of source.statements) noteStatement(names, file, statement);
  parsed.set(file, { source, names });
  return { source, names };
}

/** The parts of an expression that run: what follows a dot or names a property leads nowhere. */
function partsOf(node: ts.Node): ts.Node[] {
  if (ts.isTypeNode(node)) return [];
  if (ts.isPropertyAccessExpression(node)) return [node.expression];
  if (ts.isPropertyAssignment(node)) return [node.initializer];
  const parts: ts.Node[] = [];
  ts.forEachChild(node, (child) => {
    parts.push(child);
  });
  return parts;
}

/** What a piece of code names itself. */
function namedIn({ file, node }: Code): Import[] {
  const { names } = parse(file);
  const found = new Set<string>();
  const open = [node];
  for (let next = open.pop(); next; next = open.pop()) {
    if (ts.isIdentifier(next) && names.has(next.text)) found.add(next.text);
    open.push(...partsOf(next));
  }
  return [...found].map((name) => ({ file, name }));
}

const named = new Map<string, Import[]>();

/** Where a name leads next: to the file that it comes from, or to all that its declaration names. */
function stepsFrom(one: Import): Import[] {
  const key = `${one.file}#${one.name}`;
  const known = named.get(key);
  if (known) return known;
  const target = parse(one.file).names.get(one.name);
  const steps = !target ? [] : "kind" in target ? namedIn({ file: one.file, node: target }) : [target];
  named.set(key, steps);
  return steps;
}

/**
 * The functions and values that code leads to by their names, as `file#name`, through all files of `app`. What is called
 * through a table or a function given along is followed too, as it is named somewhere; what a job does later isn't.
 *
 * @param end a function that isn't followed
 */
export function reachedFrom(code: Code, end?: string): Set<string> {
  const reached = new Set<string>();
  const open = namedIn(code);
  for (let next = open.pop(); next; next = open.pop()) {
    const key = `${next.file}#${next.name}`;
    if (reached.has(key) || key === end) continue;
    reached.add(key);
    open.push(...stepsFrom(next));
  }
  return reached;
}

const textOf = (name: ts.PropertyName | undefined) =>
  name && (ts.isIdentifier(name) || ts.isStringLiteral(name)) ? name.text : "";

/** The properties of each object literal that a file gives to a function. */
export function argumentsOf(file: string, called: string): Record<string, Code>[] {
  const found: Record<string, Code>[] = [];
  const look = (node: ts.Node): void => {
    const argument = ts.isCallExpression(node) ? node.arguments[0] : undefined;
    if (
      ts.isCallExpression(node) &&
      ts.isIdentifier(node.expression) &&
      node.expression.text === called &&
      argument &&
      ts.isObjectLiteralExpression(argument)
    )
      found.push(propertiesOf({ file, node: argument }));
    ts.forEachChild(node, look);
  };
  look(parse(file).source);
  return found;
}

/** The properties of an object literal, with the code of their values. */
export function propertiesOf({ file, node }: Code): Record<string, Code> {
  if (!ts.isObjectLiteralExpression(node)) throw new Error(`${file} doesn't name its parts one by one.`);
  return Object.fromEntries(
    node.properties.map((one) => {
      const value = ts.isPropertyAssignment(one) ? one.initializer : (one.name ?? one);
      return [textOf(one.name), { file, node: value }];
    }),
  );
}

/** The text of a literal, or the name of a variable that stands for several. */
export function literalOf({ file, node }: Code): string {
  if (ts.isStringLiteralLike(node) || ts.isIdentifier(node)) return node.text;
  throw new Error(`${file} has a name that isn't written out.`);
}
