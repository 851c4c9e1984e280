import { z } from "zod";
import { toDisplayText } from "~/core/well-formed";
import { parseMarkdown } from "./parse.shared";
import { StoredRendering } from "./stored.schema";
import { type RenderedMessage, TREE_VERSION } from "./tree.shared";
import { typesetFormulas } from "./typeset";

export const RenderTask = z.object({ texts: z.array(z.string().nullable()) });
export type RenderTask = z.infer<typeof RenderTask>;

/** Stored trees of a message with their element count. */
export const Rendering = z.object({ json: z.string(), nodes: z.number() });
export type Rendering = z.infer<typeof Rendering>;

function packRendering(rendered: RenderedMessage): Rendering {
  const nodes = rendered.parts.reduce((sum, part) => sum + (part?.nodes ?? 0), 0);
  return { json: JSON.stringify(StoredRendering.parse(rendered)), nodes };
}

/** The same texts with nothing formatted. */
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
