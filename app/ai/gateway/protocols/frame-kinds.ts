import { z } from "zod";
import { parseWellFormed } from "~/core/well-formed";
import { dataOf, eventOf } from "./sse-frames";

/**
 * A frame's role: before the response (`preamble`), a token, another part (`rest`), only usage, the end, an error, or
 * unreadable (`broken`).
 */
export type FrameKind = "preamble" | "token" | "rest" | "usage" | "end" | "error" | "broken";

const QUOTE = 34;
const SPACE = 32;
const BRACE_OPEN = 123;
const BRACE_CLOSE = 125;

/** Offset of a JSON member's value; within strings the quotes would be escaped. */
function valueAt(frame: Buffer, member: string): number {
  const index = frame.indexOf(member, 0, "latin1");
  if (index === -1) return -1;
  const at = index + member.length;
  return frame[at] === SPACE ? at + 1 : at;
}

export function hasText(frame: Buffer, member: string): boolean {
  const at = valueAt(frame, member);
  return at !== -1 && frame[at] === QUOTE && frame[at + 1] !== QUOTE;
}

export function hasObject(frame: Buffer, member: string): boolean {
  const at = valueAt(frame, member);
  return at !== -1 && frame[at] === BRACE_OPEN;
}

/** Whether the frame ends with a closing brace. */
function endsWithBrace(frame: Buffer): boolean {
  let at = frame.length - 1;
  while (at > 0 && (frame[at] ?? 0) <= SPACE) at--;
  return frame[at] === BRACE_CLOSE;
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

export function parseJson(data: string): unknown {
  try {
    return parseWellFormed(data);
  } catch {
    return undefined;
  }
}

export function classifyChatFrame(frame: Buffer): FrameKind {
  if (hasText(frame, '"content":') && endsWithBrace(frame)) return "token";
  const data = dataOf(frame);
  if (data === "") return "preamble";
  if (data.trim() === "[DONE]") return "end";
  const parsed = ChatFrame.safeParse(parseJson(data));
  if (!parsed.success) return "broken";
  const { error, choices, usage } = parsed.data;
  if (!isEmpty(error)) return "error";
  if (!choices || choices.length === 0) return isEmpty(usage) ? "preamble" : "usage";
  const deltas = choices.flatMap((choice) => Object.entries(choice.delta ?? {}));
  if (deltas.some(([name, value]) => !NO_TOKEN.has(name) && !isEmpty(value))) return "token";
  return choices.some((choice) => !isEmpty(choice.finish_reason)) ? "rest" : "preamble";
}

const Typed = z.object({ type: z.string() });

/** Both protocols name every frame, as event or in the data. */
export function classifyNamedFrame(frame: Buffer, kinds: Record<string, FrameKind>): FrameKind {
  if (frame.indexOf("data:", 0, "latin1") === -1) return "preamble";
  let name = eventOf(frame);
  if (name === "" || !endsWithBrace(frame)) {
    const parsed = Typed.safeParse(parseJson(dataOf(frame)));
    if (!parsed.success) return dataOf(frame).trim() === "[DONE]" ? "end" : "broken";
    name = parsed.data.type;
  }
  return kinds[name] ?? (name.endsWith(".delta") ? "token" : "rest");
}
