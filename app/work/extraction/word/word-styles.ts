import { attributeOf, readXml } from "../office";
import { isOn, numberOf, SILENT } from "./word-xml";

/** A numbered list and its level, from 0 to 8. Each may come from another style. */
export interface NumberedBy {
  list: string | undefined;
  level: number | undefined;
}

/** What a paragraph's style says, with what it inherits. */
export interface ParagraphStyle {
  kind: "paragraph" | "heading" | "quote" | "code";
  /** Of a heading, from 1 to 9. */
  level: number;
  numberedBy: NumberedBy;
  /** IDs of the style and of those that it is based on, the nearest first. */
  ids: readonly string[];
  isHidden: boolean;
  /** True for entries of a table of contents or of figures. */
  isContents: boolean;
}

interface Style {
  name: string;
  base: string | undefined;
  outline: number | undefined;
  numberedBy: NumberedBy;
  isHidden: boolean | undefined;
  font: string | undefined;
}

const newStyle = (name: string): Style => ({
  name,
  base: undefined,
  outline: undefined,
  numberedBy: { list: undefined, level: undefined },
  isHidden: undefined,
  font: undefined,
});

/** Styles that a style is based on; Word allows ten. */
const MAX_CHAIN = 50;
/** Outline levels count from 0; this one is body text. */
const BODY_TEXT = 9;
const HEADING = /^heading ?([1-9])$/i;
const QUOTE = /^(?:intense quote|quote|quotations|block text)$/i;
const CODE = /^(?:html preformatted|preformatted text|source code|code|macro|macro text)$/i;
const CONTENTS = /^(?:toc|contents) \d$|^table of figures$/i;

function headingLevel({ name, outline }: Style): number | undefined {
  if (outline !== undefined) return outline >= BODY_TEXT ? 0 : outline + 1;
  if (/^(?:title|heading)$/i.test(name)) return 1;
  const level = HEADING.exec(name)?.[1];
  return level ? Number(level) : undefined;
}

export class Styles {
  readonly #styles = new Map<string, Style>();
  readonly #resolved = new Map<string, ParagraphStyle>();
  #standard = "";

  constructor(bytes: Uint8Array | undefined) {
    if (bytes) this.#read(bytes);
  }

  /** @param id of a style; empty for the document's default one */
  paragraph(id: string): ParagraphStyle {
    const known = this.#resolved.get(id);
    if (known) return known;
    const chain = this.#chainOf(id || this.#standard);
    const styles = chain.map(([, style]) => style);
    const level = styles.map(headingLevel).find((item) => item !== undefined) ?? 0;
    const has = (pattern: RegExp) => styles.some(({ name }) => pattern.test(name));
    const style: ParagraphStyle = {
      kind: level > 0 ? "heading" : has(QUOTE) ? "quote" : has(CODE) ? "code" : "paragraph",
      level,
      numberedBy: {
        list: styles.find(({ numberedBy }) => numberedBy.list !== undefined)?.numberedBy.list,
        level: styles.find(({ numberedBy }) => numberedBy.level !== undefined)?.numberedBy.level,
      },
      ids: chain.map(([own]) => own),
      isHidden: styles.find(({ isHidden }) => isHidden !== undefined)?.isHidden ?? false,
      isContents: CONTENTS.test(styles[0]?.name ?? ""),
    };
    this.#resolved.set(id, style);
    return style;
  }

  /** What a character style says of its text; undefined where it says nothing. */
  character(id: string): { isHidden: boolean | undefined; font: string | undefined } {
    const styles = this.#chainOf(id).map(([, style]) => style);
    return {
      isHidden: styles.find(({ isHidden }) => isHidden !== undefined)?.isHidden,
      font: styles.find(({ font }) => font !== undefined)?.font,
    };
  }

  /** The list of a numbering style. */
  listOf(id: string): string | undefined {
    return this.#styles.get(id)?.numberedBy.list;
  }

  #chainOf(id: string): [string, Style][] {
    const chain = new Map<string, Style>();
    // Styles may be based on each other in a circle.
    for (let at: string | undefined = id; at && !chain.has(at) && chain.size < MAX_CHAIN; ) {
      const style: Style | undefined = this.#styles.get(at) ?? (chain.size === 0 ? newStyle(at) : undefined);
      if (!style) break;
      chain.set(at, style);
      at = style.base;
    }
    return [...chain];
  }

  #read(bytes: Uint8Array): void {
    let style: Style | undefined;
    let silence = 0;
    readXml(bytes, {
      open: (name, attributes) => {
        if (silence > 0 || SILENT.has(name) || name === "tblStylePr") silence += 1;
        if (silence > 0) return;
        if (name === "style") {
          const id = attributeOf(attributes, "styleId") ?? "";
          style = newStyle(id);
          this.#styles.set(id, style);
          const isStandard = attributeOf(attributes, "default") !== undefined;
          if (isStandard && attributeOf(attributes, "type") === "paragraph") this.#standard = id;
        }
        if (!style) return;
        if (name === "name") style.name = attributeOf(attributes) ?? style.name;
        else if (name === "basedOn") style.base = attributeOf(attributes);
        else if (name === "outlineLvl") style.outline = numberOf(attributes);
        else if (name === "numId") style.numberedBy.list = attributeOf(attributes);
        else if (name === "ilvl") style.numberedBy.level = numberOf(attributes);
        else if (name === "vanish") style.isHidden = isOn(attributes);
        else if (name === "rFonts") style.font = attributeOf(attributes, "ascii");
      },
      close: (name) => {
        if (silence > 0) silence -= 1;
        else if (name === "style") style = undefined;
      },
    });
  }
}
