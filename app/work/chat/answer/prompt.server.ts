import type { JSONValue, LanguageModelV3Message, LanguageModelV3ToolResultOutput } from "@ai-sdk/provider";
import { wireName } from "~/ai/models/wire-names.service.server";
import { NO_CONTENTS, type PromptContents, userContent } from "../attachments/prompt-contents.server";
import type { MessagePart, ToolPart } from "../chat.schema";
import type { HistoryMessage } from "./context.server";
import { NO_IMAGES, type ResultImages } from "./result-images.server";

/** Tool result of a call that a new message replaced. */
const NOT_APPROVED = "Not run: the user wrote another message instead of approving this call.";

function resultOf(part: ToolPart): LanguageModelV3ToolResultOutput {
  if (part.state === "done") return { type: "json", value: (part.output ?? null) as JSONValue };
  if (part.state === "waiting") return { type: "error-text", value: NOT_APPROVED };
  return { type: "error-text", value: part.error ?? "The call has no result." };
}

/** A step as messages: text and calls, then tool results, without reasoning. */
function stepMessages(parts: readonly MessagePart[], images: ResultImages): LanguageModelV3Message[] {
  const texts = parts.flatMap((part) =>
    part.type === "text" && part.text !== "" ? [{ type: "text" as const, text: part.text }] : [],
  );
  const calls = parts.filter((part): part is ToolPart => part.type === "tool");
  if (texts.length === 0 && calls.length === 0) return [];
  const assistant: LanguageModelV3Message = {
    role: "assistant",
    content: [
      ...texts,
      ...calls.map((part) => ({
        type: "tool-call" as const,
        toolCallId: part.toolCallId,
        toolName: wireName(part.toolName),
        // Providers reject a history whose call input isn't an object.
        input: typeof part.input === "object" && part.input !== null ? part.input : {},
      })),
    ],
  };
  if (calls.length === 0) return [assistant];
  const resultImages = calls.flatMap(({ toolCallId }) => images.get(toolCallId) ?? []);
  return [
    assistant,
    {
      role: "tool",
      content: calls.map((part) => ({
        type: "tool-result" as const,
        toolCallId: part.toolCallId,
        toolName: wireName(part.toolName),
        output: resultOf(part),
      })),
    },
    ...(resultImages.length > 0 ? [{ role: "user" as const, content: resultImages }] : []),
  ];
}

export function answerMessages(
  parts: readonly MessagePart[],
  images: ResultImages = NO_IMAGES,
): LanguageModelV3Message[] {
  const steps: MessagePart[][] = [[]];
  for (const part of parts) {
    if (part.type === "step") steps.push([]);
    else steps.at(-1)?.push(part);
  }
  return steps.flatMap((step) => stepMessages(step, images));
}

/**
 * The prompt of a conversation: the persona's system prompt, then its messages.
 * @param contents of the messages' attachments
 */
export function buildPrompt(
  system: string | undefined,
  history: readonly Pick<HistoryMessage, "role" | "parts">[],
  contents: PromptContents = NO_CONTENTS,
): LanguageModelV3Message[] {
  const messages = history.flatMap((message): LanguageModelV3Message[] => {
    if (message.role === "assistant") return answerMessages(message.parts, contents.results);
    return [{ role: "user", content: userContent(message.parts, contents) }];
  });
  return system ? [{ role: "system", content: system }, ...messages] : messages;
}

/** A document's address in tool results and citations. */
const DOCUMENT = /\/rag\/(doc_\w+)/g;

/** The distinct document ids in a value. */
export function documentsIn(value: unknown): string[] {
  const ids = new Set<string>();
  for (const [, id] of (JSON.stringify(value) ?? "").matchAll(DOCUMENT)) if (id) ids.add(id);
  return [...ids];
}

export function quotedDocuments(prompt: readonly LanguageModelV3Message[]): string[] {
  const isFile = (part: { type: string }) => part.type === "file";
  return documentsIn(
    prompt.map(({ content }) =>
      typeof content === "string" ? content : content.filter((part) => !isFile(part)),
    ),
  );
}
