import { AppError } from "~/core/errors";
import { isBlock } from "./walk";

/** Pages nest up to some hundreds deep; the parser's time is quadratic. */
const MAX_DEPTH = 2_000;
/** About 600 MB of tree. */
const MAX_ELEMENTS = 200_000;
const MAX_ATTRIBUTES = 300_000;
/** Limits per tag, in characters and attributes: parsing is quadratic. Longer tags are dropped. */
const MAX_TAG_LENGTH = 20_000;
const MAX_OPEN_PER_TAG = 100;

const NAME = /[^\s/>]*/y;
const SPACE = /[\s/]*/y;
const ATTRIBUTE = /[^\s/>=][^\s/>=]*|=[^\s/>=]*/y;
const EQUALS = /\s*=\s*/y;
const UNQUOTED = /[^\s>]*/y;
const LETTER = /[a-z]/i;

const VOID = new Set(
  "area base basefont br col command embed frame hr img input isindex keygen link meta param source track wbr".split(
    " ",
  ),
);
const RAW = new Set(["script", "style", "title", "textarea"]);
/** Open elements that a tag closes implicitly. */
const ENDS: Readonly<Record<string, readonly string[]>> = {
  li: ["li"],
  tr: ["tr", "th", "td"],
  td: ["th", "td"],
  th: ["th", "td"],
  tbody: ["thead", "tbody"],
  tfoot: ["thead", "tbody"],
  dd: ["dd", "dt"],
  dt: ["dd", "dt"],
  option: ["option"],
  optgroup: ["optgroup", "option"],
};

interface Tag {
  name: string;
  attributes: number;
  isSelfClosing: boolean;
  end: number;
}

function skip(pattern: RegExp, html: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(html) ? pattern.lastIndex : at;
}

function skipValue(html: string, at: number): number {
  const value = skip(EQUALS, html, at);
  if (value === at) return at;
  const quote = html[value];
  if (quote !== '"' && quote !== "'") return skip(UNQUOTED, html, value);
  const end = html.indexOf(quote, value + 1);
  return end < 0 ? -1 : end + 1;
}

function readTag(html: string, start: number): Tag | undefined {
  let at = skip(NAME, html, start);
  const name = html.slice(start, Math.min(at, start + 50)).toLowerCase();
  for (let attributes = 0; ; attributes++) {
    at = skip(SPACE, html, at);
    if (at >= html.length) return undefined;
    if (html[at] === ">") return { name, attributes, isSelfClosing: html[at - 1] === "/", end: at + 1 };
    at = skipValue(html, skip(ATTRIBUTE, html, at));
    if (at < 0) return undefined;
  }
}

class OpenElements {
  readonly #names: string[] = [];
  readonly #counts = new Map<string, number>();

  open(name: string): void {
    const ended = ENDS[name] ?? (isBlock(name.toUpperCase()) ? ["p"] : []);
    while (ended.includes(this.#names.at(-1) ?? "")) this.#pop();
    this.#names.push(name);
    this.#counts.set(name, this.#count(name) + 1);
    if (this.#names.length > MAX_DEPTH)
      throw new AppError(
        "invalid",
        `This HTML nests elements more than ${MAX_DEPTH.toLocaleString("en")} levels deep. Simplify it and try again.`,
      );
  }

  close(name: string): void {
    if (this.#count(name) === 0) return;
    while (this.#pop() !== name);
  }

  get isForeign(): boolean {
    return this.#count("svg") + this.#count("math") > 0;
  }

  #count(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  #pop(): string | undefined {
    const name = this.#names.pop();
    if (name !== undefined) this.#counts.set(name, this.#count(name) - 1);
    return name;
  }
}

function tooMany(max: number, what: string): AppError {
  return new AppError(
    "invalid",
    `This HTML has more than ${max.toLocaleString("en")} ${what}, which is too many. Split it into smaller files.`,
  );
}

function skipText(html: string, end: string, from: number): number {
  const at = end === "-->" ? html.indexOf(end, from) : indexOfEnd(html, end, from);
  return at < 0 ? html.length : at;
}

function indexOfEnd(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}`, "gi");
  end.lastIndex = from;
  return end.exec(html)?.index ?? -1;
}

/**
 * Checks the number and depth of elements before a tree is built, and drops overlong tags.
 * @throws AppError `invalid` for nesting that is too deep and for too many elements or attributes
 */
export function boundHtml(html: string): string {
  const pieces: string[] = [];
  const elements = new OpenElements();
  let [from, count, attributes] = [0, 0, 0];
  for (let at = html.indexOf("<"); at >= 0; at = html.indexOf("<", at)) {
    if (html.startsWith("<!--", at)) {
      // `<!-->` is a complete comment.
      at = skipText(html, "-->", at + 2);
      continue;
    }
    const isClosing = html[at + 1] === "/";
    const start = at + (isClosing ? 2 : 1);
    if (!LETTER.test(html[start] ?? "")) {
      at += 1;
      continue;
    }
    const tag = readTag(html, start);
    if (!tag) break;
    if (tag.end - at > MAX_TAG_LENGTH || tag.attributes > MAX_OPEN_PER_TAG) {
      pieces.push(html.slice(from, at));
      from = tag.end;
    } else if (isClosing) elements.close(tag.name);
    else {
      count += 1;
      attributes += tag.attributes;
      if (count > MAX_ELEMENTS) throw tooMany(MAX_ELEMENTS, "elements");
      if (attributes > MAX_ATTRIBUTES) throw tooMany(MAX_ATTRIBUTES, "attributes");
      if (RAW.has(tag.name) && !tag.isSelfClosing) tag.end = skipText(html, tag.name, tag.end);
      else if (!VOID.has(tag.name) && !(tag.isSelfClosing && elements.isForeign)) elements.open(tag.name);
    }
    at = tag.end;
  }
  return pieces.length === 0 ? html : pieces.join("") + html.slice(from);
}
