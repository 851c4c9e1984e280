import { createHash } from "node:crypto";
import type { LanguageModelV3Message } from "@ai-sdk/provider";

// Servers with OpenAI's chat completions API demand an order of messages, each in its own template.

type Message = LanguageModelV3Message;
type UserContent = Extract<Message, { role: "user" }>["content"];

const plainText = (content: UserContent): string | undefined =>
  content.every((part) => part.type === "text")
    ? content.map((part) => (part.type === "text" ? part.text : "")).join("\n\n")
    : undefined;

/** Texts become one, sent as a string: some servers take no parts. */
function joined(content: UserContent): UserContent {
  const text = plainText(content);
  return text === undefined || content.length < 2 ? content : [{ type: "text", text }];
}

/** Templates refuse two messages of a person in a row, as a failed answer between them leaves, and a second system one. */
function alternating(prompt: readonly Message[]): Message[] {
  const turns: Message[] = [];
  for (const message of prompt) {
    const last = turns.at(-1);
    if (last?.role === "user" && message.role === "user")
      turns[turns.length - 1] = { role: "user", content: joined([...last.content, ...message.content]) };
    else if (last?.role === "system" && message.role === "system")
      turns[turns.length - 1] = { role: "system", content: `${last.content}\n\n${message.content}` };
    else turns.push(message.role === "user" ? { ...message, content: joined(message.content) } : message);
  }
  return turns;
}

const MISTRAL = /(?:mistral|mixtral|ministral|codestral|devstral|magistral|pixtral)/i;
const MISTRAL_ID = /^[a-zA-Z0-9]{9}$/;

/** Nine letters and digits of the same kind for the same id. */
function mistralId(id: string): string {
  if (MISTRAL_ID.test(id)) return id;
  return createHash("sha256")
    .update(id)
    .digest("base64")
    .replaceAll(/[^a-zA-Z0-9]/g, "")
    .slice(0, 9);
}

const withIds = (message: Message): Message => {
  if (message.role === "assistant") {
    const content = message.content.map((part) =>
      part.type === "tool-call" ? { ...part, toolCallId: mistralId(part.toolCallId) } : part,
    );
    return { ...message, content };
  }
  if (message.role !== "tool") return message;
  const content = message.content.map((part) =>
    part.type === "tool-result" ? { ...part, toolCallId: mistralId(part.toolCallId) } : part,
  );
  return { ...message, content };
};

/** Its servers refuse other ids of calls, and a person's message right after a result. */
function forMistral(prompt: readonly Message[]): Message[] {
  return prompt.flatMap((message, at): Message[] => {
    const followsResult = message.role === "user" && prompt[at - 1]?.role === "tool";
    const between: Message = { role: "assistant", content: [{ type: "text", text: "…" }] };
    return [...(followsResult ? [between] : []), withIds(message)];
  });
}

/** A prompt in the order that all these servers take. */
export function compatibleTurns(prompt: readonly Message[], modelId: string): Message[] {
  const turns = alternating(prompt);
  return MISTRAL.test(modelId) ? forMistral(turns) : turns;
}
