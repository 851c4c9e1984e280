import katex from "katex";
import { SaxesParser } from "saxes";
import { innerFormula, isDisplay } from "./formula.shared";
import {
  type Block,
  type Inline,
  isMathAttribute,
  isMathElement,
  type MathElement,
  type RenderedText,
} from "./tree.shared";

/** Maximum elements of a text's formulas, some 300 formulas; the rest is shown as source. */
const MAX_ELEMENTS = 4000;
const MAX_DEPTH = 60;

/** KaTeX's annotation repeats the source. */
const LEFT_OUT = new Set(["annotation"]);
/** Wrappers without meaning. */
const UNWRAPPED = new Set(["span", "math", "semantics"]);

function readMathml(markup: string): MathElement[] {
  const root: MathElement = { n: "mrow", c: [] };
  const open: MathElement[] = [root];
  let skipping = 0;
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, attributes }) => {
    if (skipping > 0 || LEFT_OUT.has(name)) {
      skipping += 1;
      return;
    }
    const parent = open.at(-1) ?? root;
    if (UNWRAPPED.has(name)) return void open.push(parent);
    if (!isMathElement(name) || open.length > MAX_DEPTH) throw new Error(`not drawn: ${name}`);
    const mathAttributes = Object.entries(attributes).filter(([key, value]) =>
      isMathAttribute(key, String(value)),
    );
    const element: MathElement = { n: name, c: [] };
    if (mathAttributes.length > 0)
      element.a = Object.fromEntries(mathAttributes.map(([key, value]) => [key, String(value)]));
    parent.c.push(element);
    open.push(element);
  });
  parser.on("closetag", () => {
    if (skipping > 0) skipping -= 1;
    else open.pop();
  });
  parser.on("text", (text) => {
    if (skipping === 0) open.at(-1)?.c.push(text);
  });
  parser.write(markup).close();
  return root.c.filter((node): node is MathElement => typeof node !== "string");
}

const count = (element: MathElement): number =>
  element.c.reduce((sum, child) => sum + (typeof child === "string" ? 0 : count(child)), 1);

/** A formula as MathML; undefined if invalid. */
function typeset(source: string): MathElement | undefined {
  try {
    const markup = katex.renderToString(innerFormula(source), {
      output: "mathml",
      displayMode: isDisplay(source),
      throwOnError: true,
      strict: "ignore",
      trust: false,
      maxExpand: 200,
      maxSize: 20,
      // Macros don't leak into other formulas.
      globalGroup: false,
    });
    return { n: "mrow", c: readMathml(markup) };
  } catch {
    // The model made a mistake or used a forbidden command.
    return undefined;
  }
}

/** Adds MathML to a text's formulas. */
export function typesetFormulas(rendered: RenderedText): RenderedText {
  let remaining = MAX_ELEMENTS;
  const inline = (one: Inline): void => {
    if (typeof one === "string") return;
    if (one.t === "math") {
      const math = remaining > 0 ? typeset(one.v) : undefined;
      const size = math ? count(math) : 0;
      if (math && size <= remaining) {
        one.m = math;
        remaining -= size;
      }
    } else if ("c" in one) one.c.forEach(inline);
  };
  const block = (one: Block): void => {
    if (one.t === "list") one.items.flat().forEach(block);
    else if (one.t === "quote") one.c.forEach(block);
    else if (one.t === "table") [one.head, ...one.rows].flat(2).forEach(inline);
    else if ("c" in one) one.c.forEach(inline);
  };
  rendered.blocks.forEach(block);
  return { ...rendered, nodes: rendered.nodes + MAX_ELEMENTS - remaining };
}
