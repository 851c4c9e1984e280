import { AppError } from "~/core/errors";
import type { ReadDocument } from "../document.schema";
import { DocumentBuilder, oneLine } from "../document-builder";
import { commentLine } from "../labels";
import { RtfBody } from "./body";
import { type Decode, loadDecoder, PAGE_WORDS, pageOfCharset, pageOfNumber } from "./code-pages";
import { type RtfToken, tokensOf } from "./tokens";

/** Groups in one another. */
const MAX_DEPTH = 10_000;

/** Where a group's text belongs. */
type Destination =
  | "body"
  | "skip"
  | "fonts"
  | "styles"
  | "title"
  | "author"
  | "marker"
  | "note"
  | "comment"
  | "commenter"
  | "band"
  | "box";

const DESTINATIONS: Readonly<Record<string, Destination>> = {
  fonttbl: "fonts",
  stylesheet: "styles",
  title: "title",
  author: "author",
  listtext: "marker",
  pntext: "marker",
  footnote: "note",
  annotation: "comment",
  atnauthor: "commenter",
  shptxt: "box",
  dptxbxtext: "box",
  header: "band",
  headerl: "band",
  headerr: "band",
  headerf: "band",
  footer: "band",
  footerl: "band",
  footerr: "band",
  footerf: "band",
};
/** Groups without text of the document. */
const SKIPPED = new Set(
  (
    "colortbl filetbl pict nonshppict shprslt objclass objdata fldinst sp listtable listoverridetable revtbl rsidtbl " +
    "generator xmlnstbl themedata colorschememapping latentstyles datastore nonesttables nesttableprops bkmkstart bkmkend " +
    "subject keywords doccomm comment operator company category manager hlinkbase creatim revtim printim buptim xe tc rxe txe " +
    "atnid atndate atnref atrfstart atrfend atntime atnparent falt panose pn pnseclvl ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn " +
    "userprops mmathPr fontemb fontfile background template password passwordhash wgrffmtfilter"
  ).split(" "),
);
/** Optional groups (`\*`) whose content is read. */
const ENTERED = new Set(["shppict", "shpinst", "do", "ud", "field", "htmltag"]);

const CHARACTERS: Readonly<Record<string, string>> = {
  tab: "\t",
  line: "\n",
  lquote: "‘",
  rquote: "’",
  ldblquote: "“",
  rdblquote: "”",
  emdash: "—",
  endash: "–",
  bullet: "•",
  emspace: " ",
  enspace: " ",
  qmspace: " ",
  nbsp: "\u00a0",
  nbhyphen: "-",
};

interface Sink {
  text: string;
}

interface State {
  destination: Destination;
  sink: Sink;
  page: string | undefined;
  /** Characters that stand for one of Unicode for older programs. */
  fallback: number;
  isHidden: boolean;
}

class RtfReader {
  readonly builder = new DocumentBuilder();
  title = "";
  author = "";
  readonly #decode: Decode;
  readonly #body: RtfBody;
  readonly #stack: State[] = [];
  #state: State;
  #page = "cp1252";
  readonly #fonts = new Map<number, string | undefined>();
  #font = 0;
  #defaultFont = 0;
  #bytes = "";
  /** Fallback characters still to be passed over. */
  #ignored = 0;
  #isOptional = false;
  #skipsNext = false;
  #commenter = "";
  #notes = 0;
  readonly #bands = new Set<string>();

  constructor(decode: Decode) {
    this.#decode = decode;
    this.#body = new RtfBody(this.builder);
    this.#state = { destination: "body", sink: this.#body, page: undefined, fallback: 1, isHidden: false };
  }

  read(source: string): void {
    for (const token of tokensOf(source)) {
      if (this.builder.isFull) break;
      this.#take(token);
    }
    this.#flush();
    if (this.#stack.length > 0 && !this.builder.isFull)
      this.builder.note("The file breaks off, so its end may be missing.");
    this.#body.finish();
    for (const band of this.#bands) this.builder.add("paragraph", band);
  }

  #take(token: RtfToken): void {
    if (token.kind === "text" || token.kind === "byte") {
      const passed = this.#passFallback(token.text.length);
      if (this.#state.destination !== "skip") this.#bytes += token.text.slice(passed);
    } else if (token.kind === "word") {
      const isOptional = this.#isOptional;
      this.#isOptional = false;
      this.#word(token.word, token.value, isOptional);
    } else if (token.kind === "open") this.#open();
    else if (token.kind === "close") this.#close();
    else this.#isOptional = true;
  }

  /** Passes over what older programs show in place of a Unicode character. @returns how many characters of these */
  #passFallback(length: number): number {
    const passed = Math.min(this.#ignored, length);
    this.#ignored -= passed;
    return passed;
  }

  #open(): void {
    this.#flush();
    this.#ignored = 0;
    if (this.#stack.length >= MAX_DEPTH)
      throw new AppError("invalid", "This RTF file is nested too deeply. Simplify it and try again.");
    this.#stack.push(this.#state);
    this.#state = { ...this.#state };
    if (this.#skipsNext) this.#state.destination = "skip";
    // Each style is a group of its own.
    if (this.#state.destination === "styles") this.#state.sink = { text: "" };
    this.#skipsNext = false;
  }

  #close(): void {
    this.#flush();
    this.#ignored = 0;
    const closed = this.#state;
    this.#state = this.#stack.pop() ?? this.#state;
    if (closed.sink === this.#state.sink || closed.sink === this.#body) return;
    const text = oneLine(closed.sink.text);
    if (closed.destination === "marker") this.#body.marker = text;
    else if (closed.destination === "title") this.title = text;
    else if (closed.destination === "author") this.author = text;
    else if (closed.destination === "commenter") this.#commenter = text;
    else if (closed.destination === "band" && text) this.#bands.add(text);
    else if (closed.destination === "note") this.#body.follow(`[${this.#notes}] ${text}`);
    else if (closed.destination === "box") this.#body.follow(closed.sink.text);
    else if (closed.destination === "comment" && text) {
      this.#body.follow(commentLine(this.#commenter, text));
      this.#commenter = "";
    } else if (closed.destination === "styles") this.#body.nameStyle(text.replace(/;$/, ""));
  }

  #flush(): void {
    if (!this.#bytes) return;
    const text = this.#decode(this.#bytes, this.#state.page ?? this.#page);
    this.#bytes = "";
    this.#write(text);
  }

  #write(text: string): void {
    const { destination, isHidden, sink } = this.#state;
    if (destination !== "skip" && destination !== "fonts" && !isHidden) sink.text += text;
  }

  #word(word: string, value: number | undefined, isOptional: boolean): void {
    if (this.#state.destination === "skip") return;
    this.#flush();
    const destination = DESTINATIONS[word];
    if (word === "u") this.#unicode(value ?? 0);
    else if (SKIPPED.has(word) || (isOptional && !destination && !ENTERED.has(word))) this.#skip(word);
    else if (destination) this.#enter(destination);
    else if (word === "upr") this.#skipsNext = true;
    else if (CHARACTERS[word] !== undefined) {
      if (this.#passFallback(1) === 0) this.#write(CHARACTERS[word]);
    } else if (!this.#setCharacters(word, value)) this.#setText(word, value);
  }

  #unicode(value: number): void {
    this.#write(String.fromCharCode(value & 0xffff));
    this.#ignored = this.#state.fallback;
  }

  #skip(word: string): void {
    this.#state.destination = "skip";
    if (word === "pict") this.builder.leaveOut("image", "images");
    if (word === "objdata") this.builder.leaveOut("embedded object", "embedded objects");
  }

  #enter(destination: Destination): void {
    if (destination === "note") {
      this.#notes += 1;
      this.#write(`[${this.#notes}]`);
    }
    this.#state.destination = destination;
    this.#state.sink = { text: "" };
  }

  /** Handles what selects a code page. */
  #setCharacters(word: string, value: number | undefined): boolean {
    const isFontTable = this.#state.destination === "fonts";
    if (PAGE_WORDS[word]) this.#page = PAGE_WORDS[word];
    else if (word === "ansicpg" && value) this.#page = pageOfNumber(value);
    else if (word === "deff") this.#defaultFont = value ?? 0;
    else if (word === "uc") this.#state.fallback = Math.min(8, Math.max(0, value ?? 1));
    else if (word === "f" && isFontTable) {
      this.#font = value ?? 0;
      this.#fonts.set(this.#font, undefined);
    } else if (word === "fcharset" && isFontTable) this.#fonts.set(this.#font, pageOfCharset(value ?? 1));
    else if (word === "cpg" && isFontTable && value) this.#fonts.set(this.#font, pageOfNumber(value));
    else if (word === "f") this.#state.page = this.#fonts.get(value ?? 0);
    else if (word === "plain") {
      this.#state.page = this.#fonts.get(this.#defaultFont);
      this.#state.isHidden = false;
    } else if (word === "v" || word === "deleted") this.#state.isHidden = value !== 0;
    else return false;
    return true;
  }

  #setText(word: string, value: number | undefined): void {
    const { destination, sink } = this.#state;
    if (destination === "styles") this.#body.setStyle(word, value);
    else if (destination === "body") this.#body.word(word, value);
    else if (word === "par" || word === "cell" || word === "row") sink.text += "\n";
  }
}

export const isRtf = (start: string): boolean => /^\ufeff?\s{0,99}\{\\rtf/.test(start);

/** Reads an RTF file. */
export async function readRtf(bytes: Uint8Array): Promise<ReadDocument> {
  const reader = new RtfReader(await loadDecoder());
  reader.read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1"));
  const { builder, title, author } = reader;
  return builder.finish(title, { format: "RTF", ...(author ? { author } : {}) });
}
