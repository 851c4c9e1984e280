import { parseWellFormed } from "~/core/well-formed";
import { isRefused, plainMessage } from "../answer-state.shared";
import type { ChatMessage } from "../chat.schema";
import { sourcesOf } from "../sources.shared";

// Without zod: the browser sends the transcript with each question.

export interface TranscriptMessage {
  role: "user" | "assistant";
  content: string;
}

/**
 * Names the documents whose passages an answer was given and that it doesn't link, so that a conversation kept from this
 * knows what it holds.
 */
function withSources({ content, parts }: Pick<ChatMessage, "content" | "parts">): string {
  const links = new Map<string, string>();
  for (const { passage } of sourcesOf(parts).list) {
    const [url = ""] = passage.url.split(/[?#]/);
    if (!content.includes(url)) links.set(url, `[${passage.title.replaceAll(/[[\]\\\s]+/g, " ")}](${url})`);
  }
  return links.size === 0 ? content : `${content}\n\nSources: ${[...links.values()].join(", ")}`;
}

type Spoken = Pick<ChatMessage, "role" | "content" | "parts"> & Partial<Pick<ChatMessage, "metrics">>;

/** The texts of a chat. Thoughts, calls of tools, messages without text and questions that were refused are left out. */
export const transcriptOf = (messages: readonly Spoken[]): TranscriptMessage[] =>
  messages.flatMap((message, at) => {
    const { role, content } = message;
    const answer = role === "assistant" ? message : messages[at + 1];
    if (content.trim() === "" || (answer && isRefused(answer))) return [];
    return [{ role, content: role === "assistant" ? withSources(message) : content }];
  });

/** The messages of a transcript, as a screen shows them. */
export const showTranscript = (messages: readonly TranscriptMessage[], at: string): ChatMessage[] =>
  messages.map((message, index) => plainMessage({ ...message, id: `earlier-${index}` }, at));

function isMessage(value: unknown): value is TranscriptMessage {
  const { role, content } = (value ?? {}) as Record<string, unknown>;
  return (role === "user" || role === "assistant") && typeof content === "string";
}

/** The transcript of a form that was refused; empty if that is what was wrong with it. */
export function readTranscript(json: string): TranscriptMessage[] {
  try {
    const read: unknown = parseWellFormed(json || "[]");
    return Array.isArray(read) ? read.filter(isMessage) : [];
  } catch {
    return [];
  }
}
