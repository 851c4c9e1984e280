import { z } from "zod";
import { toDisplayText } from "~/core/well-formed";
import { writeTree } from "../transfer/html-tree";
import { parseMarkdown } from "./parse.shared";
import {
  type Block,
  type Inline,
  isMathAttribute,
  isMathElement,
  type MathElement,
  type RenderedMessage,
  TREE_VERSION,
} from "./tree.shared";
import { typesetFormulas } from "./typeset";

/** With `own`, the console's origin, the texts are written as HTML that doesn't lead there. */
export const RenderTask = z.object({ texts: z.array(z.string().nullable()), own: z.string().optional() });
export type RenderTask = z.infer<typeof RenderTask>;

export const Rendering = z.object({ json: z.string(), nodes: z.number() });
export type Rendering = z.infer<typeof Rendering>;

/** The JSON of texts that were written as HTML. */
export const WrittenTexts = z.array(z.string().nullable());

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

/** A text as it is written, as HTML. */
export function writePlain(text: string): string {
  const shown = toDisplayText(text);
  return writeTree({ blocks: [{ t: "plain", from: 0, to: shown.length }] }, shown);
}

export function renderTexts({ texts, own }: RenderTask): Rendering {
  const parts = texts.map((text) =>
    text === null ? null : typesetFormulas(parseMarkdown(toDisplayText(text))),
  );
  if (own === undefined) return packRendering({ version: TREE_VERSION, parts });
  const html = parts.map((part, at) => part && writeTree(part, toDisplayText(texts[at] ?? ""), { own }));
  return { json: JSON.stringify(html), nodes: 0 };
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
