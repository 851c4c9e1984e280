export interface ExportedMessage {
  role: "user" | "assistant";
  text: string;
  model: string | null;
  /** In ms; null if missing or implausible. */
  createdAt: number | null;
}

export interface ImportedMessage extends ExportedMessage {
  /** Index of its parent, always an earlier message; null for a first one. */
  parent: number | null;
}

/** A conversation of an export, with all its branches. */
export interface ImportedConversation {
  /** Format and original id, if any. */
  source: string | undefined;
  title: string;
  model: string | null;
  createdAt: number | null;
  updatedAt: number | null;
  messages: ImportedMessage[];
  /** Index of the last message on the shown branch. */
  shown: number;
  /** Counts by reason. */
  leftOut: Map<string, number>;
}

export const LEFT_OUT = {
  tools: "tool calls and system messages",
  hidden: "hidden messages",
  edits: "edits of canvas documents",
  attachments: "attachments and images",
  empty: "messages without text",
  cut: "messages truncated at 200,000 characters",
  beyond: "messages beyond the first 5,000 or 20 million characters of a conversation",
  unreadable: "conversations that can't be read",
  unknown: "conversations of an unknown format",
  large: "conversations larger than 8 MB, or files of one object larger than 32 MB",
  values: "conversations of more than 2 million values",
  deep: "conversations nested too deep",
  encoding: "conversations that aren't UTF-8",
  none: "conversations without messages",
} as const;

/** The model that answered last. */
export const modelOf = (messages: readonly ExportedMessage[]): string | null =>
  messages.findLast(({ model }) => model)?.model ?? null;

export function count(leftOut: Map<string, number>, reason: string, n = 1): void {
  if (n > 0) leftOut.set(reason, (leftOut.get(reason) ?? 0) + n);
}

/** 1995: exports contain zeros, and seconds for milliseconds. */
const EARLIEST = 788_918_400_000;

/** Plausible times only, in ms. */
export function timeOf(value: unknown): number | null {
  const time =
    typeof value === "number"
      ? value * (value < 1e11 ? 1000 : 1)
      : typeof value === "string"
        ? Date.parse(value)
        : 0;
  return Number.isFinite(time) && time >= EARLIEST && time <= Date.now() ? Math.round(time) : null;
}
