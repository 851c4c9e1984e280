import { clip } from "~/core/well-formed";
import { writtenName } from "~/features/tools/wire-names.service.server";
import type { ChatModelCall } from "../language-model";
import { quotePassages } from "./offline-passages";
import { readQuestion, readToolRequest, type ToolRequest } from "./offline-request";

type Message = ChatModelCall["prompt"][number];
type ToolPart = Extract<Extract<Message, { role: "tool" }>["content"][number], { type: "tool-result" }>;

/** What the built-in model does next. */
export type OfflineAnswer = { text: string } | { text: string; call: Extract<ToolRequest, { kind: "call" }> };

const QUOTE_LIMIT = 1500;
const NOT_A_MODEL =
  "I am quarterdeck-offline, a built-in stand-in and **not a language model**: I don't understand or write text.";
const ADD_ONE =
  "To talk to a language model, an administrator adds a provider under [Settings › Providers](/settings?tab=providers).";

function shortened(text: string): string {
  const clean = text.trim();
  return clean.length > QUOTE_LIMIT ? `${clip(clean, QUOTE_LIMIT).trimEnd()} …` : clean;
}

function quoted(text: string): string {
  return shortened(text)
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
}

/** A code block whose fence is longer than any in the text. */
function block(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}json\n${shortened(text)}\n${fence}`;
}

/** The readable part of a result, where it has one. */
function readable(value: unknown): { title?: string; text: string } | undefined {
  if (typeof value === "string") return { text: value };
  if (typeof value !== "object" || value === null) return undefined;
  const fields = value as Record<string, unknown>;
  const text = [fields.text, fields.content, fields.body].find(
    (one) => typeof one === "string" && one.trim(),
  );
  if (typeof text !== "string") return undefined;
  return typeof fields.title === "string" && fields.title ? { title: fields.title, text } : { text };
}

function describeResult(part: ToolPart): string {
  const name = `\`${writtenName(part.toolName)}\``;
  const { output } = part;
  if (output.type === "execution-denied") return `${name} was not allowed to run.`;
  if (output.type === "error-text" || output.type === "error-json") {
    const reason = typeof output.value === "string" ? output.value : JSON.stringify(output.value);
    return `${name} failed:\n\n${quoted(reason)}`;
  }
  const value =
    output.type === "content"
      ? output.value.map((one) => ("text" in one ? one.text : "")).join("\n")
      : output.value;
  const found = readable(value);
  if (!found) return `${name} answered:\n\n${block(JSON.stringify(value, null, 2))}`;
  const heading = found.title
    ? `${name} answered. **${found.title.replace(/[*\n]/g, " ").trim()}**`
    : `${name} answered:`;
  return `${heading}\n\n${quoted(found.text)}`;
}

function textOf(message: Extract<Message, { role: "user" }>): string {
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

function introduce(text: string, call: Pick<ChatModelCall, "tools">): string {
  const names = (call.tools ?? []).map((tool) => `\`${writtenName(tool.name)}\``);
  const lines = [NOT_A_MODEL];
  if (text.trim()) lines.push(`You wrote:\n\n${quoted(clip(text, 400))}`);
  lines.push(
    names.length > 0
      ? `What I can do is call a tool when you name it or give me an address to read. Here I may call ${names.join(", ")}; for example \`kv.set greeting hello\` or an address such as https://example.com.`
      : "No tool is switched on for this conversation. With tools I can call one when you name it.",
    ...(names.includes("`qdrant.search`")
      ? []
      : ["With `qdrant.search` among them I also answer questions by quoting your documents."]),
    ADD_ONE,
  );
  return lines.join("\n\n");
}

/** What a call's result was asked with, where it was a search. */
function queryOf(prompt: ChatModelCall["prompt"], toolCallId: string): string {
  const calls = prompt.flatMap((message) => (message.role === "assistant" ? message.content : []));
  const asked = calls.find((part) => part.type === "tool-call" && part.toolCallId === toolCallId);
  const input = asked?.type === "tool-call" ? asked.input : undefined;
  if (typeof input !== "object" || input === null || !("query" in input)) return "";
  return typeof input.query === "string" ? input.query : "";
}

function foundPassages(part: ToolPart, prompt: ChatModelCall["prompt"]): string | undefined {
  if (part.output.type !== "json") return undefined;
  return quotePassages(part.output.value, queryOf(prompt, part.toolCallId));
}

/** Decides the answer from the last message alone: a result is quoted, a request becomes a call, a question a search. */
export function answerOffline(call: Pick<ChatModelCall, "prompt" | "tools" | "toolChoice">): OfflineAnswer {
  const last = call.prompt.at(-1);
  if (last?.role === "tool") {
    const parts = last.content.filter((part) => part.type === "tool-result");
    const quotes = parts.map((part) => foundPassages(part, call.prompt));
    if (quotes.length > 0 && quotes.every((quote) => quote !== undefined)) {
      return { text: [...quotes, NOT_A_MODEL].join("\n\n") };
    }
    const results = parts.map((part, index) => quotes[index] ?? describeResult(part));
    return {
      text: `${results.join("\n\n")}\n\nI only pass this on: I am not a language model and can't judge it.`,
    };
  }
  const text = last?.role === "user" ? textOf(last) : "";
  const request = call.toolChoice?.type === "none" ? undefined : readToolRequest(text, call.tools);
  if (request?.kind === "call") return { text: `Calling \`${writtenName(request.tool)}\`.`, call: request };
  if (request?.kind === "incomplete") {
    const missing = request.missing.map((name) => `\`${name}\``).join(", ");
    return {
      text: `To call \`${writtenName(request.tool)}\` I still need ${missing}. Write the values after the name, or a JSON object.`,
    };
  }
  const question = call.toolChoice?.type === "none" ? undefined : readQuestion(text, call.tools);
  if (question) return { text: "Searching the documents.", call: question };
  return { text: introduce(text, call) };
}
