import { oneLine } from "../document-builder";

/** Page and pages, date and time, file, folder and sheet, image; fonts, colors and sizes; styles. */
const CODES = /&(?:"[^"]*"|K[\dA-F]{6}|K\d{2}[+-]\d{3}|\d{1,3}|[PNDTFZAGBIUESXYOH](?:[+-]\d+)?)/gi;
const PAGE_NUMBER = /&[PN]/i;

/** Reads the code of a sheet's header or footer: `&L&"Arial,Bold"Confidential&RPage &P`. */
export function readMargin(code: string): string {
  const sections = code.replaceAll("&&", "\0").split(/&[LCR]/i);
  const texts = sections.map((section) => {
    const text = oneLine(section.replace(CODES, "").replaceAll("\0", "&"));
    // Words around a page number alone say nothing.
    return PAGE_NUMBER.test(section) && !/\d/.test(text) ? "" : text;
  });
  return texts.filter(Boolean).join(" | ");
}
