import katex from "katex";
import { SaxesParser } from "saxes";
import { z } from "zod";
import { toDisplayText } from "~/core/well-formed";
import { innerFormula, isDisplay } from "./formula.shared";
import { parseMarkdown } from "./parse.shared";
import {
  type Block,
  type Inline,
  isMathAttribute,
  isMathElement,
  type MathElement,
  type RenderedMessage,
  type RenderedText,
  TREE_VERSION,
} from "./tree.shared";

export const RenderTask = z.object({ texts: z.array(z.string().nullable()) });
export type RenderTask = z.infer<typeof RenderTask>;

export const Rendering = z.object({ json: z.string(), nodes: z.number() });
export type Rendering = z.infer<typeof Rendering>;

function packRendering(rendered: RenderedMessage): Rendering {
  const nodes = rendered.parts.reduce((sum, part) => sum + (part?.nodes ?? 0), 0);
  return { json: JSON.stringify(StoredRendering.parse(rendered)), nodes };
}

export function renderPlain({ texts }: RenderTask): Rendering {
  const parts = texts.map((text) => {
    const length = toDisplayText(text ?? "").length;
    return text === null
      ? null
      : { length, nodes: 0, blocks: [{ t: "plain" as const, from: 0, to: length }] };
  });
  return packRendering({ version: TREE_VERSION, parts });
}

export function renderTexts({ texts }: RenderTask): Rendering {
  const parts = texts.map((text) =>
    text === null ? null : typesetFormulas(parseMarkdown(toDisplayText(text))),
  );
  return packRendering({ version: TREE_VERSION, parts });
}

const InlineSchema: z.ZodType<Inline> = z.lazy(() => z.union([z.string(), InlineElement]));
const inlines = z.array(InlineSchema);
const MathSchema: z.ZodType<MathElement> = z.lazy(() =>
  z.object({
    n: z.string().refine(isMathElement),
    a: z
      .record(z.string(), z.string())
      .refine((attributes) =>
        Object.entries(attributes).every(([name, value]) => isMathAttribute(name, value)),
      )
      .optional(),
    c: z.array(z.union([z.string(), MathSchema])),
  }),
);
const InlineElement = z.discriminatedUnion("t", [
  z.object({ t: z.enum(["strong", "em", "del"]), c: inlines }),
  z.object({ t: z.literal("code"), v: z.string() }),
  z.object({ t: z.literal("br") }),
  z.object({ t: z.literal("link"), href: z.string(), label: z.string(), c: inlines }),
  z.object({ t: z.literal("image"), href: z.string(), label: z.string() }),
  z.object({ t: z.literal("math"), v: z.string(), m: MathSchema.optional() }),
]);

const BlockSchema: z.ZodType<Block> = z.lazy(() => BlockElement);
const blocks = z.array(BlockSchema);
const nonNegative = z.number().int().nonnegative();
const BlockElement = z.discriminatedUnion("t", [
  z.object({ t: z.enum(["p", "line"]), c: inlines }),
  z.object({ t: z.literal("heading"), depth: z.number().int(), c: inlines }),
  z.object({ t: z.literal("code"), lang: z.string(), v: z.string() }),
  z.object({ t: z.literal("quote"), c: blocks }),
  z.object({ t: z.literal("list"), start: z.number().nullable(), items: z.array(blocks) }),
  z.object({
    t: z.literal("table"),
    align: z.array(z.enum(["left", "center", "right"]).nullable()),
    head: z.array(inlines),
    rows: z.array(z.array(inlines)),
  }),
  z.object({ t: z.literal("hr") }),
  z.object({ t: z.literal("plain"), from: nonNegative, to: nonNegative }),
]);

export const StoredRendering: z.ZodType<RenderedMessage> = z.object({
  version: z.literal(TREE_VERSION),
  parts: z.array(z.object({ length: nonNegative, nodes: nonNegative, blocks }).nullable()),
});

/** Maximum elements of a text's formulas, some 300 formulas; the rest is shown as source. */
const MAX_ELEMENTS = 4000;
const MAX_DEPTH = 60;

/** KaTeX's annotation repeats the source. */
const LEFT_OUT = new Set(["annotation"]);
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
    // A model's mistake, or a forbidden command.
    return undefined;
  }
}

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
