import { z } from "zod";

export const MAX_MESSAGES = 5000;
/** As many as Anthropic's search for tools takes. */
const MAX_TOOLS = 10_000;
/** Of a translated call: more than any provider takes, so that each judges its own limit. */
export const MAX_TRANSLATED_TOOLS = 1000;
/** Total of all messages. */
const MAX_PARTS = 20_000;

/** Checks the length before the items. */
export const bounded = <T extends z.ZodType>(item: T, max: number, noun: string) =>
  z
    .array(z.unknown())
    .max(max, `At most ${max.toLocaleString("en")} ${noun} are allowed.`)
    .pipe(z.array(item));

export const toolsOf = <T extends z.ZodType>(tool: T) => bounded(tool, MAX_TOOLS, "tools");

/** Of a message, or of an item with a tool's output. */
const partsIn = (message: unknown): number => {
  const { content, output } = Object(message) as Record<string, unknown>;
  const list = content ?? output;
  return Array.isArray(list) ? list.length : 1;
};

export const NO_MESSAGE = "At least one message is required.";

export const messagesOf = <T extends z.ZodType>(message: T, min = 1) =>
  z
    .array(z.unknown())
    .min(min, NO_MESSAGE)
    .max(MAX_MESSAGES, `At most ${MAX_MESSAGES.toLocaleString("en")} messages are allowed.`)
    .refine((all) => all.reduce<number>((sum, one) => sum + partsIn(one), 0) <= MAX_PARTS, {
      message: `At most ${MAX_PARTS.toLocaleString("en")} content parts are allowed.`,
      abort: true,
    })
    .pipe(z.array(message));

export const refuse = (context: z.RefinementCtx, path: PropertyKey[], message: string) =>
  context.addIssue({ code: "custom", path, message });

export const ModelId = z.string().min(1, "A model is required.").max(200);
export const ToolName = z
  .string()
  .regex(/^[\w.:-]{1,128}$/, "A tool's name must have at most 128 letters, digits, _ and -.");
