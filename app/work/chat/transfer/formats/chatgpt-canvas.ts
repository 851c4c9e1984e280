import { z } from "zod";
import { parseWellFormed } from "~/core/well-formed";
import { codeBlock } from "../markdown-text";

const Created = z.object({ type: z.string().catch("document"), content: z.string() });

/** A rewrite of the whole document; others are patterns of a stranger, which aren't run. */
const Rewritten = z.object({
  updates: z.tuple([z.object({ pattern: z.literal(".*"), replacement: z.string() })]),
});

/** Whether a message goes to the canvas, such as to `canmore.create_textdoc`. */
export const isCanvas = (recipient: string): boolean => recipient.startsWith("canmore.");

/** The document that a call wrote to the canvas; undefined for comments and partial edits. */
export function readCanvas(call: unknown): string | undefined {
  if (typeof call !== "string") return undefined;
  let value: unknown;
  try {
    value = parseWellFormed(call);
  } catch {
    return undefined;
  }
  const created = Created.safeParse(value).data;
  const language = /^code\/(.+)$/.exec(created?.type ?? "")?.[1];
  if (created) return language === undefined ? created.content : codeBlock(created.content, language);
  return Rewritten.safeParse(value).data?.updates[0].replacement;
}
