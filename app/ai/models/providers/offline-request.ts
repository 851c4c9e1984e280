import { wordsOf } from "~/core/language/quote.shared";
import { clip, parseWellFormed } from "~/core/well-formed";
import type { ChatModelCall } from "../language-model";
import { writtenName } from "../wire-names.service.server";

type OfferedTool = Extract<NonNullable<ChatModelCall["tools"]>[number], { type: "function" }>;

export type ToolRequest =
  | { kind: "call"; tool: string; input: Record<string, unknown> }
  | { kind: "incomplete"; tool: string; missing: string[] };

interface Property {
  type?: string;
  enum?: unknown[];
}

/** Limits on parsing: a request is short, even before a long pasted text. */
const READ_LIMIT = 20_000;
const MAX_ENDS_TRIED = 100;
/** Tools that run without being named. */
const FETCH_TOOL = "web.fetch";
const SEARCH_TOOL = "qdrant.search";
const ADDRESS = /https?:\/\/[^\s<>"')\]]+/i;

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\-]/g, "\\$&");
}

function findName(text: string, wireName: string): { at: number; rest: string } | undefined {
  const pattern = wireName.split(/_+/).map(escapeRegExp).join("(?:\\.|_+)");
  const match = new RegExp(`(?<![\\w.])${pattern}(?!\\w|\\.\\w)`, "i").exec(text);
  return match
    ? { at: match.index, rest: text.slice(match.index + match[0].length).slice(0, READ_LIMIT) }
    : undefined;
}

function leadingObject(text: string): Record<string, unknown> | undefined {
  const start = /^[\s:=(`]*(?:with\s+)?(?=\{)/i.exec(text);
  if (!start) return undefined;
  const body = text.slice(start[0].length);
  let end = body.lastIndexOf("}");
  for (let tries = 0; end > 0 && tries < MAX_ENDS_TRIED; tries++, end = body.lastIndexOf("}", end - 1)) {
    try {
      const value: unknown = parseWellFormed(body.slice(0, end + 1));
      if (typeof value === "object" && value !== null && !Array.isArray(value)) {
        return value as Record<string, unknown>;
      }
    } catch {
      // The brace belongs to what follows: try a shorter piece.
    }
  }
  return undefined;
}

function propertiesOf(tool: OfferedTool): [names: [string, Property][], required: string[]] {
  const schema = tool.inputSchema as { properties?: Record<string, Property>; required?: string[] };
  return [Object.entries(schema.properties ?? {}), schema.required ?? []];
}

function convertValue(word: string, property: Property): unknown {
  if (property.type === "number" || property.type === "integer") {
    return Number.isNaN(Number(word)) ? word : Number(word);
  }
  if (property.type === "boolean" && /^(true|false)$/i.test(word)) return word.toLowerCase() === "true";
  return word;
}

const unquote = (word: string) => word.replace(/^(["'`])(.*)\1$/s, "$2");

/** Parses `GET https://…`, `key value with spaces` or `key=value`. */
function readArguments(rest: string, tool: OfferedTool): Record<string, unknown> {
  const [names, required] = propertiesOf(tool);
  const input: Record<string, unknown> = {};
  const plain: string[] = [];
  const text = rest.replace(/^\s*[:(,]?\s*/, "").replace(/[)\s]+$/, "");
  for (const word of text.match(/[\w.-]+=(?:"[^"]*"|\S+)|"[^"]*"|'[^']*'|`[^`]*`|\S+/g) ?? []) {
    const pair = /^([\w.-]+)=(.+)$/s.exec(word);
    const property = pair && names.find(([name]) => name === pair[1]);
    const address = names.find(([name]) => name === "url" && !(name in input));
    const choice = names.find(
      ([name, property]) => !(name in input) && property.enum?.includes(word.toUpperCase()),
    );
    if (property && pair) input[property[0]] = convertValue(unquote(pair[2] ?? ""), property[1]);
    else if (address && ADDRESS.test(word)) input.url = ADDRESS.exec(word)?.[0].replace(/[.,;:!?]+$/, "");
    else if (choice) input[choice[0]] = word.toUpperCase();
    else plain.push(unquote(word));
  }
  const open = names.filter(([name]) => !(name in input) && name !== "url" && required.includes(name));
  for (const [index, [name, property]] of open.entries()) {
    const isLast = index === open.length - 1;
    const word = isLast ? plain.splice(0).join(" ") : plain.shift();
    if (word) input[name] = convertValue(word, property);
  }
  return input;
}

function toRequest(tool: OfferedTool, input: Record<string, unknown>): ToolRequest {
  const missing = propertiesOf(tool)[1].filter((name) => !(name in input));
  return missing.length > 0
    ? { kind: "incomplete", tool: tool.name, missing }
    : { kind: "call", tool: tool.name, input };
}

export function readToolRequest(text: string, offered: ChatModelCall["tools"]): ToolRequest | undefined {
  const tools = (offered ?? []).filter((tool) => tool.type === "function");
  const first = tools
    .map((tool) => ({ tool, found: findName(text, tool.name) }))
    .filter((one) => one.found !== undefined)
    .sort((a, b) => (a.found?.at ?? 0) - (b.found?.at ?? 0))[0];
  if (first?.found) {
    const { tool, found } = first;
    return toRequest(tool, leadingObject(found.rest) ?? readArguments(found.rest, tool));
  }
  const url = ADDRESS.exec(text)?.[0].replace(/[.,;:!?]+$/, "");
  const fetchTool = tools.find((tool) => writtenName(tool.name) === FETCH_TOOL);
  return url && fetchTool ? toRequest(fetchTool, { url }) : undefined;
}

const GREETINGS = new Set(
  `bye cheers goodbye good hello hey hi howdy moin morning afternoon evening night ok okay thank thanks there test you yes
  no please danke hallo servus guten tag morgen abend bonjour salut merci hola gracias everyone all team`.split(
    /\s+/,
  ),
);
/** Questions about the model itself; a greeting may precede them. */
const ABOUT_ITSELF =
  /^(?:what (?:can|could|do) you do|what are you|who are you|how (?:can|could|do) you help|(?:what|which) tools (?:do you have|can you use))(?: (?:me|us|here|for me|for us))?(?: and with which tools)?$|^help(?: me)?$/;
const QUESTION_LIMIT = 1000;

function isSmallTalk(text: string): boolean {
  const words = wordsOf(text);
  const first = words.findIndex((word) => !GREETINGS.has(word));
  return first === -1 || ABOUT_ITSELF.test(words.slice(first).join(" "));
}

/** The document search for a question, if offered. */
export function readQuestion(
  text: string,
  offered: ChatModelCall["tools"],
): Extract<ToolRequest, { kind: "call" }> | undefined {
  const search = (offered ?? []).find((tool) => writtenName(tool.name) === SEARCH_TOOL);
  if (!search || isSmallTalk(text)) return undefined;
  return { kind: "call", tool: search.name, input: { query: clip(text.trim(), QUESTION_LIMIT) } };
}
