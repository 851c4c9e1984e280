import { yieldToEventLoop } from "~/core/background.server";
import { replaceStrings, stringsOfJson } from "./json-strings";

/**
 * Where a text stands: an argument of a tool may be a value or, as `json`, all of them as JSON; thoughts are signed by
 * some providers and stay as they are.
 */
export type TextKind = "text" | "argument" | "json" | "thought";

/** Members whose strings no model reads as text. */
const NO_TEXT = new Set([
  ...["type", "role", "model", "id", "object", "status", "name", "format", "encoding_format"],
  ...["tool_call_id", "tool_use_id", "call_id", "item_id", "toolCallId", "toolName", "previous_response_id"],
  ...["signature", "encrypted_content", "finish_reason", "stop_reason", "system_fingerprint", "service_tier"],
  ...["file_id", "file_data", "media_type", "mediaType", "detail"],
  ...["b64_json", "partial_image_b64", "obfuscation"],
]);
/** Members in which there is no text at any depth. */
const NO_TEXTS = new Set([
  ...["image_url", "providerOptions", "providerMetadata", "cache_control", "embedding", "embeddings"],
]);
const THOUGHTS = new Set(["reasoning", "thinking", "redacted_thinking"]);
const THOUGHT_MEMBERS = new Set(["reasoning", "reasoning_content", "reasoning_details", "thinking"]);
/** Members that hold JSON as text. */
const JSON_MEMBERS = new Set(["arguments"]);
/** Members whose values have names of their own: schemas and, as objects, what a tool is called with. */
const SCHEMAS = new Set(["parameters", "input_schema", "inputSchema", "schema"]);
/** Types of a tool's result, whose `value` has names of its own. */
const JSON_RESULTS = new Set(["json", "error-json"]);
const BYTES = new Set(["base64", "file", "image", "audio", "media", "file-data", "image-data"]);
/** Objects that hold a sound. */
const SOUNDS = new Set<string | number>(["input_audio", "audio"]);
const MAX_DEPTH = 64;
/** JSON within JSON is read so many times. */
const MAX_NESTING = 4;

const isPlain = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** Bytes of an image, a sound or a file; a text document of Anthropic's protocol has its text there. */
const isBytes = (name: string, type: unknown, holder: string | number) =>
  (name === "data" && ((typeof type === "string" && BYTES.has(type)) || SOUNDS.has(holder))) ||
  (name === "url" && type === "url") ||
  (name === "result" && type === "image_generation_call");

/** A text of a copied call or answer. */
export interface CopiedText {
  text: string;
  kind: TextKind;
  /** The texts of one tool's input or result, or of one JSON text, have the same number. */
  group: number;
  /** Writes another one into the copy. */
  replace(text: string): void;
}

export interface CopiedTexts<T> {
  texts: readonly CopiedText[];
  /** The copy, with what was replaced. */
  finish(): T;
}

/** Values that are copied in one turn of the event loop. */
const COPIED = 4096;

interface Copying {
  from: unknown;
  to: object;
  name: string | number;
  kind: TextKind;
  /** Levels below whose names are a person's or a tool's own, so that none of them says that there is no text. */
  own: number;
  group: number | undefined;
  depth: number;
  /** JSON texts around it. */
  nesting: number;
}

/** As an own member, whatever its name. */
function put(to: object, name: string | number, value: unknown): void {
  if (name === "__proto__")
    Object.defineProperty(to, name, { value, writable: true, enumerable: true, configurable: true });
  else (to as Record<string | number, unknown>)[name] = value;
}

/** Of a member: levels whose names are its own. */
function ownLevels(name: string, value: unknown, type: unknown): number {
  if (SCHEMAS.has(name)) return MAX_DEPTH;
  if (name === "input" && isPlain(value)) return MAX_DEPTH;
  if (name === "value" && typeof type === "string" && JSON_RESULTS.has(type)) return MAX_DEPTH;
  return name === "variables" ? 1 : 0;
}

/** Copies a value and collects its texts. */
class Copier {
  readonly texts: CopiedText[] = [];
  /** Write what was replaced in JSON texts, in the order in which they were found. */
  readonly #writes: (() => void)[] = [];
  #groups = 0;

  /** A text, or the strings of one that is JSON, which are added next. */
  stringsOf(from: string, { to, name, kind, group = this.#groups++, nesting, ...place }: Copying): Copying[] {
    put(to, name, from);
    const strings = kind === "thought" || nesting === MAX_NESTING ? undefined : stringsOfJson(from);
    if (!strings) {
      this.texts.push({ text: from, kind, group, replace: (text) => put(to, name, text) });
      return [];
    }
    const values = strings.map(({ value }) => value);
    this.#writes.push(() => put(to, name, replaceStrings(from, strings, values)));
    const own = kind === "json" ? "argument" : kind;
    return values.map((value, at) => ({
      ...place,
      from: value,
      to: values,
      name: at,
      kind: own,
      group,
      nesting: nesting + 1,
    }));
  }

  /** The members of an object that may hold texts; of the others the values themselves are in the copy. */
  membersOf(object: Record<string, unknown>, to: object, copying: Copying): Copying[] {
    const { kind, own, group, depth, nesting, name: holder } = copying;
    const { type } = object;
    const isThought = kind === "thought" || (own === 0 && typeof type === "string" && THOUGHTS.has(type));
    return Object.entries(object).flatMap(([name, from]) => {
      put(to, name, from);
      if (own > 0) return [{ from, to, name, kind, own: own - 1, group, depth: depth + 1, nesting }];
      const holdsNone = typeof from === "string" && (NO_TEXT.has(name) || isBytes(name, type, holder));
      if (holdsNone || NO_TEXTS.has(name)) return [];
      const levels = ownLevels(name, from, type);
      const member: TextKind =
        isThought || THOUGHT_MEMBERS.has(name)
          ? "thought"
          : JSON_MEMBERS.has(name)
            ? "json"
            : name === "input" && levels > 0
              ? "argument"
              : "text";
      const inGroup = levels > 1 ? (group ?? this.#groups++) : group;
      return [{ from, to, name, kind: member, own: levels, group: inGroup, depth: depth + 1, nesting }];
    });
  }

  /** Of JSON within JSON the inner one first. */
  finish(): void {
    for (const write of this.#writes.toReversed()) write();
  }
}

/**
 * Copies a call or an answer, in any protocol, and finds its texts. All strings count as texts but those of members that
 * are known to hold none: an unknown member of a protocol is checked too. Of a text that is JSON the strings do.
 * @param isKnown members that stay as they are
 */
export async function copyTexts<T>(
  value: T,
  isKnown: (object: object, name: string) => boolean = () => false,
): Promise<CopiedTexts<T>> {
  const copied: { copy: T } = { copy: value };
  const copier = new Copier();
  const start = { kind: "text" as const, own: 0, group: undefined, depth: 0, nesting: 0 };
  const waiting: Copying[] = [{ from: value, to: copied, name: "copy", ...start }];
  let count = 0;
  for (let one = waiting.pop(); one; one = waiting.pop()) {
    const { from, to, name, depth } = one;
    let parts: Copying[] = [];
    if (typeof from === "string") parts = copier.stringsOf(from, one);
    else if (depth > MAX_DEPTH || !(Array.isArray(from) || isPlain(from))) put(to, name, from);
    else {
      const copy = Array.isArray(from) ? [] : {};
      put(to, name, copy);
      parts = Array.isArray(from)
        ? from.map((item, at) => ({ ...one, from: item, to: copy, name: at, depth: depth + 1 }))
        : copier.membersOf(from, copy, one).filter((member) => !isKnown(from, String(member.name)));
    }
    // Taken from the end, so that the first comes first.
    for (const part of parts.reverse()) waiting.push(part);
    if (++count % COPIED === 0) await yieldToEventLoop();
  }
  return {
    texts: copier.texts,
    finish() {
      copier.finish();
      return copied.copy;
    },
  };
}

interface Group {
  text: string;
  kind: TextKind;
  /** Where each of its texts stands in it. */
  members: { at: number; start: number; end: number }[];
}

/** Texts that others judge together, line by line: a tool's result may have thousands. */
export function joinGroups(texts: readonly CopiedText[], values = texts.map(({ text }) => text)): Group[] {
  const groups = new Map<number, Group>();
  for (const [at, { group, kind }] of texts.entries()) {
    const value = values[at] ?? "";
    const own = groups.get(group);
    const start = own ? own.text.length + 1 : 0;
    const member = { at, start, end: start + value.length };
    if (!own) groups.set(group, { text: value, kind, members: [member] });
    else {
      own.text += `\n${value}`;
      own.members.push(member);
    }
  }
  return [...groups.values()];
}
