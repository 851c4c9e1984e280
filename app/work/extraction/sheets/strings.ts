import { readXml } from "../office";

/** Control characters and the like, which XML can't have: `_x000D_`. */
const ESCAPES = /_x([\dA-F]{4})_/gi;
const unescaped = (text: string): string =>
  text.includes("_x")
    ? text.replace(ESCAPES, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;

/** Collects the text of a cell or a note from its XML: plain or in runs, without the readings above Japanese words. */
export class StringItem {
  #text = "";
  #isOpen = false;
  #inReading = false;

  get value(): string {
    return unescaped(this.#text);
  }

  open(name: string): void {
    if (name === "rPh") this.#inReading = true;
    this.#isOpen = name === "t" && !this.#inReading;
  }

  text(text: string): void {
    if (this.#isOpen) this.#text += text;
  }

  close(name: string): void {
    if (name === "rPh") this.#inReading = false;
    this.#isOpen = false;
  }
}

/** Reads the texts that the cells of all sheets share. */
export function readSharedStrings(part: Uint8Array | undefined): string[] {
  const strings: string[] = [];
  let item: StringItem | undefined;
  if (!part) return strings;
  readXml(part, {
    open(name) {
      if (name === "si") item = new StringItem();
      else item?.open(name);
    },
    text: (text) => item?.text(text),
    close(name) {
      if (name === "si" && item) {
        strings.push(item.value);
        item = undefined;
      } else item?.close(name);
    },
  });
  return strings;
}
