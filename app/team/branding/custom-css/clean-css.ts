import { type CssNode, generate, List, type ParseOptions, parse, type Selector, walk } from "css-tree";

/** A string, an escaped character, or a character that affects line breaks. */
const TOKEN = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|\\[\s\S]|[(){};]/g;

function formatCss(minified: string): string {
  let depth = 0;
  let parentheses = 0;
  const line = () => `\n${"  ".repeat(depth)}`;
  const formatted = minified.replaceAll(TOKEN, (token) => {
    if (token === "(") parentheses++;
    if (token === ")") parentheses--;
    if (parentheses > 0) return token;
    if (token === "{") {
      depth++;
      return ` {${line()}`;
    }
    if (token === "}") {
      depth--;
      return `${line()}}${line()}`;
    }
    return token === ";" ? `;${line()}` : token;
  });
  return `${formatted.replaceAll(/\n\s*(?=\n)/g, "").trim()}\n`;
}

export type CleanedCss =
  | { kind: "clean"; minified: string; formatted: string }
  | { kind: "refused"; problems: string[] };

/** `import` and `font-face` load files, `namespace` references one, `property` and `charset` affect other sheets. */
const AT_RULES = new Set(["media", "supports", "layer", "container", "keyframes"]);
/** Functions that load something, read the page or run code in some browser. */
const FUNCTIONS = new Set([
  "url",
  "src",
  "image",
  "image-set",
  "cross-fade",
  "element",
  "attr",
  "paint",
  "expression",
]);
const PROPERTIES = new Set(["behavior", "binding"]);
const MAX_PROBLEMS = 5;

const withoutPrefix = (name: string) => name.toLowerCase().replace(/^-[a-z]+-/, "");

interface CleanOptions {
  /** Attribute of `html` that the rules require; without it they apply to every page. */
  scope?: string;
  /** Allows `url(#id)`, a reference within the same image. */
  ownUrls?: boolean;
}

const FRAGMENT = /^#[\w.:-]+$/;

function refusalOf(node: CssNode, { ownUrls }: CleanOptions): string | undefined {
  switch (node.type) {
    case "Url":
      if (ownUrls && FRAGMENT.test(node.value)) return undefined;
      return "url() is not allowed. Upload images as logo or favicon";
    case "Atrule":
      return AT_RULES.has(withoutPrefix(node.name)) ? undefined : `@${node.name} is not allowed`;
    case "Function":
      return FUNCTIONS.has(withoutPrefix(node.name)) || node.name.includes("\\")
        ? `${node.name}() is not allowed`
        : undefined;
    case "Declaration":
      return PROPERTIES.has(withoutPrefix(node.property)) || node.property.includes("\\")
        ? `${node.property} is not allowed`
        : undefined;
    case "CDO":
    case "CDC":
      return "HTML comments are not allowed";
    case "Raw":
      return node.value.trim() === "" ? undefined : "This isn't valid CSS";
    default:
      return undefined;
  }
}

/** Requires an attribute on the `html` element. `:where()` keeps the specificity. */
function scopeSelector({ children }: Selector, attribute: string): void {
  const value = `[${attribute}],[${attribute}] *`;
  const condition: CssNode = {
    type: "PseudoClassSelector",
    name: "where",
    children: new List<CssNode>().fromArray([{ type: "Raw", value }]),
  };
  const nodes = children.toArray();
  let at = nodes[0]?.type === "Combinator" ? 1 : 0;
  // A type selector is first in its compound, as are `&` and `*`.
  if (nodes[at]?.type === "TypeSelector" || nodes[at]?.type === "NestingSelector") at++;
  children.fromArray([...nodes.slice(0, at), condition, ...nodes.slice(at)]);
}

function scopeRules(sheet: CssNode, attribute: string): void {
  walk(sheet, {
    visit: "Rule",
    enter({ prelude }) {
      if (this.atrule && withoutPrefix(this.atrule.name) === "keyframes") return;
      if (prelude.type !== "SelectorList") return;
      for (const selector of prelude.children)
        if (selector.type === "Selector") scopeSelector(selector, attribute);
    },
  });
}

/** Of a text's first occurrence; the first if the minified sheet alone has it. */
const lineOf = (source: string, text: string): number =>
  source.slice(0, Math.max(0, source.indexOf(text))).split("\n").length;

/** Parses and rewrites custom CSS, refusing anything that could load a resource. Takes up to a second: for a worker. */
export function cleanCss(source: string, cleanOptions: CleanOptions = {}): CleanedCss {
  const problems = new Map<string, number>();
  const refuse = (text: string, line: number) => problems.set(`Line ${line}: ${text}.`, line);
  const options: ParseOptions = {
    positions: true,
    parseCustomProperty: true,
    onParseError: (error) => refuse("This isn't valid CSS", error.line),
  };
  try {
    const sheet = parse(source, options);
    walk(sheet, (node, item, list) => {
      if (node.type === "Comment") list?.remove(item);
      const refusal = refusalOf(node, cleanOptions);
      if (refusal) refuse(refusal, node.loc?.start.line ?? 1);
    });
    if (cleanOptions.scope) scopeRules(sheet, cleanOptions.scope);
    const minified = generate(sheet);
    if (minified.includes("</")) refuse('"</" is not allowed', lineOf(source, "</"));
    if (problems.size === 0) return { kind: "clean", minified, formatted: formatCss(minified) };
  } catch (error) {
    // The parser itself recurses.
    if (!(error instanceof RangeError)) throw error;
    refuse("This is nested too deeply", 1);
  }
  const inOrder = [...problems].sort(([, a], [, b]) => a - b).map(([text]) => text);
  return { kind: "refused", problems: inOrder.slice(0, MAX_PROBLEMS) };
}
