import { posix } from "node:path";
import { decodeText } from "~/core/charset";
import { AppError } from "~/core/errors";
import type { Facts } from "../document.schema";
import { DocumentBuilder, shortText } from "../document-builder";
import type { DocumentFormat } from "../format";
import { addHtml } from "../html/blocks";
import { parseDocument } from "../html/page";
import { factsOf, type Parts, readXml, unpackParts } from "../office";

const CONTAINER = "META-INF/container.xml";
const ENCRYPTION = "META-INF/encryption.xml";
const isWanted = (name: string) =>
  name === CONTAINER || name === ENCRYPTION || /\.(?:opf|x?html?|xml)$/i.test(name);

export const epub: DocumentFormat = {
  label: "EPUB",
  endings: [".epub"],
  types: ["application/epub+zip"],
  isText: false,
  entries: [CONTAINER],
  async read({ bytes }) {
    // Chapters are HTML with a document type. Neither reader of them expands entities that they declare.
    const parts = await unpackParts(bytes, isWanted, (part) => part);
    refuseProtected(parts);
    const book = readPackage(parts);
    const builder = new DocumentBuilder();
    for (const chapter of book.chapters) {
      if (builder.isFull) break;
      const content = parts.get(chapter);
      if (content) addChapter(builder, content);
    }
    builder.leaveOut("table of contents", "tables of contents", book.contents);
    return builder.finish(book.title, { format: this.label, ...book.facts });
  },
};

/** Fonts are obscured by these in books that anyone may read. */
const FONT_ALGORITHMS = /^http:\/\/(?:www\.idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc#RC)$/;

function refuseProtected(parts: Parts): void {
  const encryption = parts.get(ENCRYPTION);
  if (!encryption) return;
  readXml(encryption, {
    open(name, { Algorithm = "" }) {
      if (name === "EncryptionMethod" && !FONT_ALGORITHMS.test(Algorithm))
        throw new AppError(
          "invalid",
          "This e-book is protected against copying (DRM), so it can't be read. Use an edition without protection.",
        );
    },
  });
}

interface Book {
  title: string;
  facts: Omit<Facts, "format">;
  /** Parts in the order of reading. */
  chapters: string[];
  /** How many parts of that order only list the others. */
  contents: number;
}

/** Reads the book's description and the order of its chapters. @throws Error if there is none */
function readPackage(parts: Parts): Book {
  let name = "";
  readXml(parts.get(CONTAINER) ?? new Uint8Array(), {
    open(element, attributes) {
      if (element === "rootfile") name ||= attributes["full-path"] ?? "";
    },
  });
  const bytes = parts.get(name);
  if (!bytes) throw new Error("The package is missing.");
  const found: Record<string, string> = {};
  const items = new Map<string, { part: string; isContents: boolean }>();
  const spine = new Set<string>();
  let open = "";
  readXml(bytes, {
    open(element, { id = "", href = "", idref = "", properties = "" }) {
      open = element;
      if (element === "item") {
        const part = posix.join(posix.dirname(name), decodePath(href));
        items.set(id, { part, isContents: properties.split(" ").includes("nav") });
      } else if (element === "itemref") spine.add(idref);
    },
    text(text) {
      found[open] = (found[open] ?? "") + text;
    },
    close() {
      open = "";
    },
  });
  const listed = [...spine].flatMap((id) => items.get(id) ?? []);
  const chapters = listed.filter(({ isContents }) => !isContents).map(({ part }) => part);
  return {
    title: shortText(found.title),
    facts: factsOf({ creator: found.creator, language: found.language, created: found.date }),
    // A part may be listed under many names.
    chapters: [...new Set(chapters)],
    contents: listed.filter(({ isContents }) => isContents).length,
  };
}

function decodePath(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    // A name with a percent sign that wasn't encoded.
    return href;
  }
}

const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/i;

/** In HTML, unlike in XML, `<a/>` only opens. */
const closeEmpty = (xhtml: string) =>
  xhtml.replace(/<([a-z][\w:-]{0,30})([^<>]*)\/>/gi, (tag, name: string, rest: string) =>
    VOID.test(name) ? tag : `<${name}${rest}></${name}>`,
  );

function addChapter(builder: DocumentBuilder, content: Uint8Array): void {
  const document = parseDocument(closeEmpty(decodeText(content, "application/xhtml+xml")));
  // The reader of HTML counts its own images, but not those in drawings, such as covers.
  const drawn = document.querySelectorAll("svg image").length;
  builder.leaveOut("image", "images", drawn);
  addHtml(builder, document.documentElement);
}
