import type { LanguageModelV3Message, LanguageModelV3ToolResultOutput } from "@ai-sdk/provider";

type Message = LanguageModelV3Message;
type Results = Extract<Message, { role: "tool" }>["content"];

/** What a model reads of a call whose result is missing: providers refuse a prompt in which one has none. */
export const noResult = (error = "The call has no result."): LanguageModelV3ToolResultOutput => ({
  type: "error-text",
  value: error,
});

function missingResults(message: Extract<Message, { role: "assistant" }>, results: Results): Results {
  const closed = new Set(results.map((one) => one.type === "tool-result" && one.toolCallId));
  return message.content.flatMap((part): Results => {
    if (part.type !== "tool-call" || closed.has(part.toolCallId)) return [];
    const { toolCallId, toolName } = part;
    return [{ type: "tool-result", toolCallId, toolName, output: noResult() }];
  });
}

/** Closes a prompt's calls without a result, each turn's in the message of results that follows it. */
export function closeCalls(prompt: readonly Message[]): Message[] {
  const closed: Message[] = [];
  let missing: Results = [];
  for (const [at, message] of prompt.entries()) {
    const next = prompt[at + 1];
    const content = message.role === "tool" ? [...message.content, ...missing] : undefined;
    closed.push(content ? { role: "tool", content } : message);
    missing = [];
    if (message.role !== "assistant") continue;
    missing = missingResults(message, next?.role === "tool" ? next.content : []);
    if (missing.length === 0 || next?.role === "tool") continue;
    closed.push({ role: "tool", content: missing });
    missing = [];
  }
  return closed;
}
