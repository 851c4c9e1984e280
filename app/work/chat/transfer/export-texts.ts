import escapeHtml from "escape-html";
import { addressFor, isWebPage, locationOf } from "~/ai/models/quoted-passages.shared";
import { resultFilePath } from "~/ai/tools/files/result-files.shared";
import { toDisplayText } from "~/core/well-formed";
import type { ChatMessage } from "../chat.schema";
import { linkTarget } from "../markdown/link-target.shared";
import type { RenderedText } from "../markdown/tree.shared";
import { readPageOf } from "../read-page.shared";
import { type AnswerSource, type AnswerSources, earlierPassages, sourcesOf } from "../sources.shared";
import { type FindSource, writeTree } from "./html-tree";
import { EXPORT_VERSION, type ExportFormat } from "./imports.schema";
import { escapeMarkdown, markdownLink, oneLine } from "./markdown-text";

interface ExportedConversation {
  title: string;
  /** The console's, for links to cited passages. */
  origin: string;
  model: string;
  createdAt: string;
  updatedAt: string;
  restricted: boolean;
  activeMessageId: string | null;
  /** All branches for JSON, else the active one. */
  messages: readonly ChatMessage[];
}

/** Parses a text; undefined if it can't be parsed now. */
type ParseMarkdown = (text: string) => Promise<RenderedText | undefined>;

interface Writer {
  extension: string;
  type: string;
  branches: "all" | "active";
  write(conversation: ExportedConversation, parse: ParseMarkdown): AsyncGenerator<string>;
}

const RESTRICTED =
  "This conversation contains passages of restricted documents. Share it only with people who can see them.";

const minute = (time: string) => `${time.slice(0, 16).replace("T", " ")} UTC`;
function speakerOf({ role, model, persona }: ChatMessage): string {
  if (role === "user") return "You";
  const by = [model, persona && `as ${persona}`].filter(Boolean).join(" ");
  return by ? `Assistant (${oneLine(by)})` : "Assistant";
}

interface Note {
  label: string;
  items: { text: string; href?: string | undefined; anchor?: string }[];
}

const passageAddress = (origin: string, { passage }: AnswerSource): string | undefined =>
  "leftOut" in passage ? undefined : (isWebPage(passage.url) ? "" : origin) + addressFor(passage);

const anchorOf = (index: number, { number }: AnswerSource) => `answer-${index + 1}-source-${number}`;

function notesOf({ parts }: ChatMessage, index: number, { list }: AnswerSources, origin: string): Note[] {
  const calls = parts.filter((part) => part.type === "tool");
  const images = parts.flatMap((part) =>
    part.type === "file" ? [{ text: part.name, href: `${origin}${resultFilePath(part.id)}` }] : [],
  );
  const tools = calls.map(({ toolName }) => ({ text: toolName }));
  const pages = calls.flatMap(({ output }) => {
    const page = readPageOf(output);
    return page ? [{ text: page.title, href: linkTarget(page.url)?.href }] : [];
  });
  const sources = list.map((source) => ({
    text: [`[${source.number}] ${source.passage.title}`, locationOf(source.passage)]
      .filter(Boolean)
      .join(", "),
    href: passageAddress(origin, source),
    anchor: anchorOf(index, source),
  }));
  return [
    { label: "Images", items: images },
    { label: "Tools called", items: tools },
    { label: "Pages read", items: pages },
    { label: "Sources", items: sources },
  ].filter(({ items }) => items.length > 0);
}

function withSources(messages: readonly ChatMessage[]) {
  const earlier = earlierPassages(messages);
  return messages.map((message, index) => ({
    message,
    index,
    sources: sourcesOf(message.parts, message.role === "assistant" ? earlier[index] : undefined),
  }));
}

function linkCitations(markdown: string, { list }: AnswerSources, origin: string): string {
  const links = list.flatMap((source) => {
    const address = passageAddress(origin, source);
    return address ? [[`](${source.passage.url})`, `](${address})`] as const] : [];
  });
  if (links.length === 0) return markdown;
  return changeProse(markdown, (text) =>
    links.reduce((linked, [from, to]) => linked.replaceAll(from, () => to), text),
  );
}

async function* writeMarkdown(conversation: ExportedConversation): AsyncGenerator<string> {
  const { title, origin, createdAt, restricted, messages } = conversation;
  yield `# ${escapeMarkdown(title)}\n\nStarted ${minute(createdAt)}\n`;
  if (restricted) yield `\n> ${RESTRICTED}\n`;
  for (const { message, index, sources } of withSources(messages)) {
    const text = closeFence(linkCitations(message.content.trim(), sources, origin));
    yield `\n## ${escapeMarkdown(speakerOf(message))}, ${minute(message.timestamp)}\n\n${text}\n`;
    for (const { label, items } of notesOf(message, index, sources, origin)) {
      const links = items.map(({ text: name, href }) =>
        href ? markdownLink(name, href) : escapeMarkdown(name),
      );
      yield `\n> ${label}: ${links.join("; ")}\n`;
    }
  }
}

async function* writeJson(conversation: ExportedConversation): AsyncGenerator<string> {
  const { messages, activeMessageId: active, title, model, createdAt, updatedAt, restricted } = conversation;
  const facts = { format: EXPORT_VERSION, title, model, createdAt, updatedAt, restricted, active };
  const head = JSON.stringify(facts);
  yield `${head.slice(0, -1)},"messages":[`;
  let separator = "\n";
  for (const { id, parentId: parent, role, status, model: by, persona, timestamp, parts } of messages) {
    yield separator + JSON.stringify({ id, parent, role, status, model: by, persona, timestamp, parts });
    separator = ",\n";
  }
  yield "\n]}\n";
}

const STYLE = `:root{color-scheme:light dark}body{max-width:48rem;margin:2rem auto;padding:0 1rem;font:16px/1.6 system-ui,sans-serif}
h1{font-size:1.4rem;overflow-wrap:anywhere}article{margin:1.5rem 0;padding-top:1rem;border-top:1px solid #8886}
h2{font-size:.85rem;margin:0 0 .5rem}.text{white-space:pre-wrap;overflow-wrap:anywhere}.note{font-size:.85rem;opacity:.8;overflow-wrap:anywhere}:target{outline:2px solid}
article :is(h3,h4,h5,h6){font-size:1rem;margin:1.25rem 0 .5rem}article p,article li{overflow-wrap:anywhere}
pre{white-space:pre-wrap;overflow-wrap:anywhere;padding:.75rem;border-radius:.375rem;background:#8882;font-size:.85rem}
.table{overflow-x:auto}table{border-collapse:collapse}th,td{padding:.25rem .75rem;border:1px solid #8886;text-align:start}
blockquote{margin-inline:0;padding-inline-start:1rem;border-inline-start:3px solid #8886}`;

async function bodyOf(
  { role, content }: ChatMessage,
  index: number,
  { byNumber, byUrl }: AnswerSources,
  parse: ParseMarkdown,
): Promise<string> {
  const text = toDisplayText(content.trim());
  const tree = role === "assistant" ? await parse(text) : undefined;
  if (!tree) return `<div class="text">${escapeHtml(text)}</div>`;
  const find: FindSource = (reference) => {
    const source = typeof reference === "number" ? byNumber.get(reference) : byUrl.get(reference);
    return source && { number: source.number, anchor: anchorOf(index, source) };
  };
  return writeTree(tree, text, { find });
}

function writeNote({ label, items }: Note): string {
  const links = items.map(({ text, href, anchor }) => {
    const id = anchor ? ` id="${anchor}"` : "";
    const name = escapeHtml(toDisplayText(oneLine(text)));
    return href
      ? `<a${id} href="${escapeHtml(href)}" rel="noopener noreferrer nofollow">${name}</a>`
      : `<span${id}>${name}</span>`;
  });
  return `<p class="note">${label}: ${links.join("; ")}</p>`;
}

async function* writeHtml(
  { title, origin, createdAt, restricted, messages }: ExportedConversation,
  parse: ParseMarkdown,
): AsyncGenerator<string> {
  const name = escapeHtml(oneLine(title));
  yield `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${name}</title><style>${STYLE}</style></head>
<body><h1>${name}</h1><p class="note">Started ${minute(createdAt)}</p>
${restricted ? `<p class="note">${RESTRICTED}</p>\n` : ""}`;
  for (const { message, index, sources } of withSources(messages)) {
    const heading = escapeHtml(`${speakerOf(message)}, ${minute(message.timestamp)}`);
    yield `<article><h2>${heading}</h2>${await bodyOf(message, index, sources, parse)}`;
    for (const note of notesOf(message, index, sources, origin)) yield writeNote(note);
    yield "</article>\n";
  }
  yield "</body></html>\n";
}

export const WRITERS: Record<ExportFormat, Writer> = {
  markdown: {
    extension: "md",
    type: "text/markdown; charset=utf-8",
    branches: "active",
    write: writeMarkdown,
  },
  json: { extension: "json", type: "application/json; charset=utf-8", branches: "all", write: writeJson },
  html: { extension: "html", type: "text/html; charset=utf-8", branches: "active", write: writeHtml },
};

const FENCE = /^\s*(`{3,}|~{3,})(.*)$/;
/** Code within a line, or the text between. */
const PIECE = /(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)|`+|[^`]+/g;

/** The code block that is open after a line with this fence. */
function openAfter(open: string | undefined, fence: string | undefined, rest: string): string | undefined {
  if (open !== undefined) return fence?.startsWith(open) && rest.trim() === "" ? undefined : open;
  return fence?.startsWith("`") && rest.includes("`") ? undefined : fence;
}

/** Changes a Markdown text line by line, except fenced and inline code. */
export function changeProse(markdown: string, change: (text: string) => string): string {
  let open: string | undefined;
  const changeLine = (line: string) => {
    const [, fence, rest = ""] = FENCE.exec(line) ?? [];
    const before = open;
    open = openAfter(open, fence, rest);
    if (before !== undefined || open !== undefined) return line;
    return line.replaceAll(PIECE, (piece) => (piece.startsWith("`") ? piece : change(piece)));
  };
  return markdown.split("\n").map(changeLine).join("\n");
}

const BLOCK_FENCE = /^( {0,3})(`{3,}|~{3,})(.*)$/;

/** Closes a code block that a stopped answer left open, which would swallow what follows in a file. */
export function closeFence(markdown: string): string {
  let open: string | undefined;
  for (const line of markdown.split("\n")) {
    const [, indent, fence, rest = ""] = BLOCK_FENCE.exec(line) ?? [];
    // An indented fence may be a list item's, and ends with it.
    if (open !== undefined || indent === "") open = openAfter(open, fence, rest);
  }
  return open === undefined ? markdown : `${markdown}\n${open}`;
}
