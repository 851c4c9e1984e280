import type { StreamChunk } from "./answer-stream.schema";

// Checks by hand what the browser folds and shows: zod would be loaded with every chat.

/** Required text fields by type. */
const TEXTS = {
  start: ["messageId"],
  "start-step": [],
  "text-start": ["id"],
  "text-delta": ["id", "delta"],
  "text-end": ["id"],
  "reasoning-start": ["id"],
  "reasoning-delta": ["id", "delta"],
  "reasoning-end": ["id"],
  file: ["url", "mediaType"],
  "tool-input-start": ["toolCallId", "toolName"],
  "tool-input-delta": ["toolCallId", "inputTextDelta"],
  "tool-input-available": ["toolCallId", "toolName"],
  "tool-input-error": ["toolCallId", "toolName", "errorText"],
  "tool-approval-request": ["toolCallId", "reason"],
  "tool-output-denied": ["toolCallId", "errorText"],
  "data-tool-progress": ["id"],
  "data-tool-question": ["id"],
  "data-tool-answer": ["id"],
  "data-tool-begun": ["id"],
  "tool-output-available": ["toolCallId"],
  "tool-output-error": ["toolCallId", "errorText"],
  "data-step-state": [],
  "data-waiting": [],
  "finish-step": [],
  error: ["errorText"],
  abort: ["reason"],
  finish: [],
} as const satisfies Record<StreamChunk["type"], readonly string[]>;

/** Required objects by type. */
const OBJECTS: Readonly<Record<string, string>> = {
  start: "messageMetadata",
  file: "providerMetadata",
  "data-tool-progress": "data",
  "data-tool-question": "data",
  "data-tool-answer": "data",
  "data-tool-begun": "data",
  "data-step-state": "data",
  "data-waiting": "data",
  finish: "messageMetadata",
};

const textsOf = (type: string): readonly string[] =>
  Object.hasOwn(TEXTS, type) ? TEXTS[type as "start"] : [];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** Whether an answer can take the event; unknown types pass, as newer servers may send them. */
export function isStreamChunk(value: unknown): value is StreamChunk {
  if (!isObject(value) || typeof value.type !== "string") return false;
  const { type } = value;
  const object = Object.hasOwn(OBJECTS, type) ? OBJECTS[type] : undefined;
  return (
    textsOf(type).every((name) => typeof value[name] === "string") &&
    (object === undefined || isObject(value[object]))
  );
}

/** An event's JSON. @returns undefined if it is malformed */
export function parseEvent(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

/** Shown at an answer whose stream has a malformed event. */
export const UNREADABLE_ANSWER = "Part of the answer couldn't be read. Reload the page to see all of it.";
