import { z } from "zod";
import type { Frame } from "./sse-frames";

/**
 * A frame's role: before the response (`preamble`), a token, another part (`rest`), only usage, the end, an error, or
 * unreadable (`broken`).
 */
export type FrameKind = "preamble" | "token" | "rest" | "usage" | "end" | "error" | "broken";

/** A frame with its data parsed; undefined if that isn't JSON. */
export interface ReadFrame extends Omit<Frame, "bytes"> {
  json: unknown;
}

const ChatFrame = z.object({
  error: z.unknown().optional(),
  usage: z.unknown().optional(),
  choices: z
    .array(
      z.object({
        delta: z.record(z.string(), z.unknown()).nullish(),
        finish_reason: z.unknown().optional(),
      }),
    )
    .nullish(),
});

const NO_TOKEN = new Set(["role"]);
const isEmpty = (value: unknown) =>
  value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0);

export function classifyChatFrame({ data, json }: ReadFrame): FrameKind {
  if (data === "") return "preamble";
  if (data.trim() === "[DONE]") return "end";
  const parsed = ChatFrame.safeParse(json);
  if (!parsed.success) return "broken";
  const { error, choices, usage } = parsed.data;
  if (!isEmpty(error)) return "error";
  if (!choices || choices.length === 0) return isEmpty(usage) ? "preamble" : "usage";
  const deltas = choices.flatMap((choice) => Object.entries(choice.delta ?? {}));
  if (deltas.some(([name, value]) => !NO_TOKEN.has(name) && !isEmpty(value))) return "token";
  return choices.some((choice) => !isEmpty(choice.finish_reason)) ? "rest" : "preamble";
}

/** Not every compatible server sends [DONE]. */
export function endsChat({ json }: ReadFrame): boolean {
  const choices = ChatFrame.safeParse(json).data?.choices ?? [];
  return choices.some((choice) => !isEmpty(choice.finish_reason));
}

const Typed = z.object({ type: z.string() });

/** Both protocols name every frame, as event or in the data. */
export function classifyNamedFrame(
  { event, data, json }: ReadFrame,
  kinds: Record<string, FrameKind>,
): FrameKind {
  if (data === "") return "preamble";
  if (data.trim() === "[DONE]") return "end";
  if (json === undefined) return "broken";
  const name = event || Typed.safeParse(json).data?.type;
  if (name === undefined) return "broken";
  return kinds[name] ?? (name.endsWith(".delta") ? "token" : "rest");
}
