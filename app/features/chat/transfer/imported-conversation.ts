/** A message as an export has it, already cut to what is kept. */
export interface ImportedMessage {
  role: "user" | "assistant";
  text: string;
  model: string | null;
  /** In ms since the epoch; null where the export gives none that can be true. */
  createdAt: number | null;
}

/** A conversation of an export: the path from its first message to its newest one. */
export interface ImportedConversation {
  /** Format and the export's own id; undefined where it has none. */
  source: string | undefined;
  title: string;
  model: string | null;
  createdAt: number | null;
  updatedAt: number | null;
  messages: ImportedMessage[];
  /** Reasons with their counts. */
  leftOut: Map<string, number>;
}

const MOST_MESSAGES = 5_000;
/** Characters of one message. */
const LONGEST_TEXT = 200_000;

export const LEFT_OUT = {
  branches: "messages on other branches",
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

/**
 * The messages from a tree's root to one of them: an export may name parents that aren't there, or that lead in a circle.
 */
export function pathTo<Node>(
  last: string,
  find: (id: string) => { node: Node; parent: string | null } | undefined,
): Node[] {
  const seen = new Set<string>();
  const path: Node[] = [];
  for (let id: string | null = last; id !== null && !seen.has(id); ) {
    seen.add(id);
    const found: { node: Node; parent: string | null } | undefined = find(id);
    if (!found) break;
    path.push(found.node);
    id = found.parent;
  }
  return path.reverse();
}

/** Keeps what can be kept of messages: those with text, cut to their limit; answers in several pieces are one. */
export function keepMessages(
  messages: readonly ImportedMessage[],
  leftOut: Map<string, number>,
): ImportedMessage[] {
  const kept: ImportedMessage[] = [];
  for (const message of messages) {
    const text = message.text.trim();
    const last = kept.at(-1);
    if (text === "") count(leftOut, LEFT_OUT.empty);
    else if (last && last.role === "assistant" && message.role === "assistant")
      kept[kept.length - 1] = { ...last, text: `${last.text}\n\n${text}` };
    else kept.push({ ...message, text });
  }
  count(leftOut, LEFT_OUT.beyond, kept.length - MOST_MESSAGES);
  return kept.slice(0, MOST_MESSAGES).map((message) => {
    if (message.text.length <= LONGEST_TEXT) return message;
    count(leftOut, LEFT_OUT.cut);
    return { ...message, text: message.text.slice(0, LONGEST_TEXT).toWellFormed() };
  });
}
