import { z } from "zod";
import { parseWellFormed } from "~/core/well-formed";
import { artifactText } from "./artifact";

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
  if (created) return artifactText(created.content, /^code\/(.+)$/.exec(created.type)?.[1]);
  return Rewritten.safeParse(value).data?.updates[0].replacement;
}
