import { attributeOf } from "../office";

/** Reads a property that is on unless its value says otherwise, such as `w:vanish`. */
export const isOn = (attributes: Readonly<Record<string, string>>): boolean =>
  !/^(?:0|false|off|none)$/.test(attributeOf(attributes) ?? "1");

const MAX_NUMBER = 1_000_000;

/** @returns a whole number from 0 to a million, undefined for anything else */
export function numberOf(attributes: Readonly<Record<string, string>>, name = "val"): number | undefined {
  const value = attributeOf(attributes, name);
  if (!value || !/^\d{1,10}$/.test(value)) return undefined;
  return Math.min(Number(value), MAX_NUMBER);
}

/** What revisions changed, and properties without text. */
export const SILENT: ReadonlySet<string> = new Set([
  "pPrChange",
  "rPrChange",
  "sectPrChange",
  "tblPrChange",
  "tblPrExChange",
  "tblGridChange",
  "tcPrChange",
  "trPrChange",
  "numberingChange",
  "moveFrom",
  "tblGrid",
  "tblPr",
  "tblPrEx",
  "tabs",
  "sdtEndPr",
  "customXmlPr",
  "smartTagPr",
  "fldData",
  "binData",
  "docOleData",
]);
