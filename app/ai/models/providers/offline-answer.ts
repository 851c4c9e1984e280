import { bestSentences, countKeywords, keywordsOf } from "~/core/language/quote.shared";
import { clip } from "~/core/well-formed";
import { type ChatModelCall, isAttached } from "../language-model";
import { locationOf, passagesOf, type QuotedPassage } from "../quoted-passages.shared";
import { writtenName } from "../wire-names.service.server";
import { readQuestion, readToolRequest, type ToolRequest } from "./offline-request";

type Message = ChatModelCall["prompt"][number];
type ToolPart = Extract<Extract<Message, { role: "tool" }>["content"][number], { type: "tool-result" }>;

export type OfflineAnswer = { text: string } | { text: string; call: Extract<ToolRequest, { kind: "call" }> };

const QUOTE_LIMIT = 1500;
const NOT_A_MODEL =
  "I'm the built-in model, **not a language model**. I can run tools and quote your documents, but I can't write answers. An admin can [connect a provider](/settings?tab=providers) for that.";
const RAW_RESULTS = "The built-in model shows results as they are.";

function shorten(text: string): string {
  const clean = text.trim();
  return clean.length > QUOTE_LIMIT ? `${clip(clean, QUOTE_LIMIT).trimEnd()} …` : clean;
}

function toQuote(text: string): string {
  return shorten(text)
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
}

function toCodeBlock(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}json\n${shorten(text)}\n${fence}`;
}

function findText(value: unknown): { title?: string; text: string } | undefined {
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
  if (output.type === "execution-denied") return `${name} wasn't allowed to run.`;
  if (output.type === "error-text" || output.type === "error-json") {
    const reason = typeof output.value === "string" ? output.value : JSON.stringify(output.value);
    return `${name} failed:\n\n${toQuote(reason)}`;
  }
  const value =
    output.type === "content"
      ? output.value.map((one) => ("text" in one ? one.text : "")).join("\n")
      : output.value;
  const text = findText(value);
  if (!text) return `Result from ${name}:\n\n${toCodeBlock(JSON.stringify(value, null, 2))}`;
  const heading = text.title
    ? `Result from ${name}: **${text.title.replace(/[*\n]/g, " ").trim()}**`
    : `Result from ${name}:`;
  return `${heading}\n\n${toQuote(text.text)}`;
}

/** Excludes attached texts: a file must not trigger tools. */
function textOf(message: Extract<Message, { role: "user" }>): string {
  const typed = message.content.filter((part) => !isAttached(part));
  return typed.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

const EXAMPLES: Readonly<Record<string, string>> = {
  "kv.set": "`kv.set greeting hello` saves a value",
  "kv.get": "`kv.get greeting` reads it",
  "web.fetch": "an address such as https://example.com shows its text",
  "qdrant.search": "a question quotes your documents",
};

const namesOf = ({ tools = [] }: Pick<ChatModelCall, "tools">) => tools.map(({ name }) => writtenName(name));

/** The tool that a message begins with, if it isn't selected: a search for its name would find nothing. */
function findUnselected(text: string, call: Pick<ChatModelCall, "tools">): string | undefined {
  const [first = ""] = text
    .trim()
    .toLowerCase()
    .split(/[\s(:{]/, 1);
  return Object.hasOwn(EXAMPLES, first) && !namesOf(call).includes(first) ? first : undefined;
}

function introduceItself(call: Pick<ChatModelCall, "tools">): string {
  const names = namesOf(call);
  const examples = Object.entries(EXAMPLES).flatMap(([name, example]) =>
    names.includes(name) ? example : [],
  );
  const tools = names.map((name) => `\`${name}\``).join(", ");
  const lines = [NOT_A_MODEL];
  if (examples.length > 0) lines.push(`Try one of these:\n\n${examples.map((one) => `- ${one}`).join("\n")}`);
  lines.push(
    names.length > 0 ? `Available tools: ${tools}.` : "No tools are selected. Select some to run them here.",
  );
  return lines.join("\n\n");
}

function queryOf(prompt: ChatModelCall["prompt"], toolCallId: string): string {
  const calls = prompt.flatMap((message) => (message.role === "assistant" ? message.content : []));
  const call = calls.find((part) => part.type === "tool-call" && part.toolCallId === toolCallId);
  const input = call?.type === "tool-call" ? call.input : undefined;
  if (typeof input !== "object" || input === null || !("query" in input)) return "";
  return typeof input.query === "string" ? input.query : "";
}

function quoteSearchResult(part: ToolPart, prompt: ChatModelCall["prompt"]): string | undefined {
  if (part.output.type !== "json") return undefined;
  return quotePassages(part.output.value, queryOf(prompt, part.toolCallId));
}

/** Answers by the last message: quotes a result, calls a requested tool, or searches. */
export function answerOffline(call: Pick<ChatModelCall, "prompt" | "tools" | "toolChoice">): OfflineAnswer {
  const last = call.prompt.at(-1);
  if (last?.role === "tool") {
    const parts = last.content.filter((part) => part.type === "tool-result");
    const quotes = parts.map((part) => quoteSearchResult(part, call.prompt));
    if (quotes.length > 0 && quotes.every((quote) => quote !== undefined)) {
      return { text: [...quotes, NOT_A_MODEL].join("\n\n") };
    }
    const results = parts.map((part, index) => quotes[index] ?? describeResult(part));
    return {
      text: [...results, RAW_RESULTS].join("\n\n"),
    };
  }
  const text = last?.role === "user" ? textOf(last) : "";
  const request = call.toolChoice?.type === "none" ? undefined : readToolRequest(text, call.tools);
  // The call itself is shown.
  if (request?.kind === "call") return { text: "", call: request };
  if (request?.kind === "incomplete") {
    const missing = request.missing.map((name) => `\`${name}\``).join(", ");
    return {
      text: `\`${writtenName(request.tool)}\` needs ${missing}. Write the values after the name, or a JSON object.`,
    };
  }
  const unselected = findUnselected(text, call);
  if (unselected)
    return { text: `The tool \`${unselected}\` isn't selected. Select it and send this again.` };
  const question = call.toolChoice?.type === "none" ? undefined : readQuestion(text, call.tools);
  if (question) return { text: "", call: question };
  return { text: introduceItself(call) };
}

const MAX_QUOTES = 3;
const QUOTE_LENGTH = 360;
/** Minimum similarity of a passage without a shared word. */
const MIN_SIMILARITY = 0.45;

const TRY_OTHERS = "Try other words, or [add documents](/rag?dialog=ingest&tab=file).";

function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\`*_[\]<>~]/g, "\\$&")
    .replace(/^(\s*)([#+-])/gm, "$1\\$2")
    .replace(/^(\s*\d+)([.)])/gm, "$1\\$2");
}

/** Passages with most of the question's keywords, in the search's order. */
function selectRelevant(passages: readonly QuotedPassage[], question: string): QuotedPassage[] {
  const keywords = keywordsOf(question);
  const counted = passages.map((passage) => {
    const { title, headings, text } = passage;
    return { passage, count: countKeywords([title, ...headings, text].join("\n"), keywords) };
  });
  const max = Math.max(0, ...counted.map(({ count }) => count));
  if (max === 0) return passages.filter(({ scores }) => (scores.similarity ?? 0) >= MIN_SIMILARITY);
  return counted.filter(({ count }) => count > max / 2).map(({ passage }) => passage);
}

function quote(passage: QuotedPassage, question: string): string {
  const location = locationOf(passage);
  // Drops list markers from a quote.
  const text = bestSentences(passage.text, question, QUOTE_LENGTH).replace(/^\s*[-*+•]\s+/gm, "");
  const lines = escapeMarkdown(text).split(/\s*\n\s*/);
  const head = `[${passage.number}](${passage.url}) **${escapeMarkdown(passage.title).replace(/\s+/g, " ")}**`;
  return `${head}${location ? ` · ${escapeMarkdown(location)}` : ""}\n\n${lines.map((line) => `> ${line}`).join("  \n")}`;
}

export function quotePassages(result: unknown, question: string): string | undefined {
  const passages = passagesOf(result);
  if (!passages) return undefined;
  const best = selectRelevant(passages, question).slice(0, MAX_QUOTES);
  const { notice } = result as { notice?: unknown };
  const remarks = typeof notice === "string" ? [escapeMarkdown(notice)] : [];
  if (best.length > 0) {
    const quotes = best.map((passage) => quote(passage, question));
    return ["Found in your documents:", ...quotes, ...remarks].join("\n\n");
  }
  if (passages.length === 0 && remarks[0]) return remarks[0];
  return [`No matching passages. ${TRY_OTHERS}`, ...remarks].join("\n\n");
}
