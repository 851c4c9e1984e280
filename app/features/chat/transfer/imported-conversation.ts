/** A message as an export has it. */
export interface SaidMessage {
  role: "user" | "assistant";
  text: string;
  model: string | null;
  /** In ms since the epoch; null where the export gives none that can be true. */
  createdAt: number | null;
}

/** A message as it is kept. */
export interface ImportedMessage extends SaidMessage {
  /** The message it follows, by its place in the list and always before it; null for a first one. */
  parent: number | null;
}

/** A conversation of an export, with all its branches. */
export interface ImportedConversation {
  /** Format and the export's own id; undefined where it has none. */
  source: string | undefined;
  title: string;
  model: string | null;
  createdAt: number | null;
  updatedAt: number | null;
  messages: ImportedMessage[];
  /** The last message of the branch that the export shows, by its place. */
  shown: number;
  /** Reasons with their counts. */
  leftOut: Map<string, number>;
}

export const LEFT_OUT = {
  tools: "tool calls and system messages",
  attachments: "attachments and images",
  empty: "messages without text",
  cut: "messages cut at 200,000 characters",
  beyond: "messages beyond the first 5,000 of a conversation",
  unreadable: "conversations that can't be read",
  unknown: "conversations of an unknown format",
  large: "conversations larger than 8 MB",
  deep: "conversations nested too deep",
  encoding: "conversations that aren't UTF-8",
  none: "conversations without messages",
} as const;

export function count(leftOut: Map<string, number>, reason: string, n = 1): void {
  if (n > 0) leftOut.set(reason, (leftOut.get(reason) ?? 0) + n);
}

/** 1995: exports hold zeros and seconds in place of milliseconds. */
const EARLIEST = 788_918_400_000;

/** A time of an export in ms, where it can be true. */
export function timeOf(value: unknown): number | null {
  const time =
    typeof value === "number"
      ? value * (value < 1e11 ? 1000 : 1)
      : typeof value === "string"
        ? Date.parse(value)
        : 0;
  return Number.isFinite(time) && time >= EARLIEST && time <= Date.now() ? Math.round(time) : null;
}
