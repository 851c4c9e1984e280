import type { DocumentBuilder } from "../document-builder";
import { addDrawing } from "../drawings/drawing";
import type { Parts } from "../office";
import { readRelationships } from "../office-relationships";
import { readComments, readPeople } from "./comments";
import { addGrid, RowCollector } from "./grid";
import { addressOf, readAddresses } from "./links";
import { readMargin } from "./margins";
import { readSheetDrawing } from "./sheet-drawing";
import { headingOfSheet, noteHiddenSheets } from "./sheet-names";
import { readWorkbook, WORKBOOK } from "./workbook";
import { readWorksheet, type Sheet } from "./worksheet";

const MACRO_SHEET = /^xl(?:Intl)?Macrosheet$/;
const EMBEDDED = new Set(["oleObject", "package"]);

function linkCells({ links, relations }: Sheet, addresses: ReadonlyMap<string, string>): void {
  for (const [key, target] of links) links.set(key, addressOf(target));
  for (const [key, id] of relations) links.set(key, addresses.get(id) ?? "");
}

/**
 * Reads a workbook's sheets, each with its notes, drawing, headers and footers, as a page.
 * @returns the sheets' names
 */
export async function readSheets(parts: Parts, builder: DocumentBuilder): Promise<string[]> {
  const book = await readWorkbook(parts, builder);
  const people = readPeople(parts, WORKBOOK);
  const collector = new RowCollector(builder);
  const [seenParts, seenMargins] = [new Set<string>(), new Set<string>()];
  for (const [at, listed] of book.sheets.entries()) {
    const bytes = parts.get(listed.part);
    if (builder.isFull || collector.isFull) break;
    if (MACRO_SHEET.test(listed.type)) builder.leaveOut("macro sheet", "macro sheets");
    if (!bytes || MACRO_SHEET.test(listed.type)) continue;
    // Sheets share no parts, except in a forged file.
    const relationships = readRelationships(parts, listed.part).filter(
      ({ target }) => !seenParts.has(target),
    );
    for (const { target } of relationships) seenParts.add(target);
    const sheet = readWorksheet(bytes, book, collector, builder);
    sheet.notes = readComments(parts, relationships, people);
    linkCells(sheet, readAddresses(parts, listed.part));
    const drawing = relationships.find(({ id }) => id !== "" && id === sheet.drawing)?.target ?? "";
    const drawings = await readSheetDrawing(builder, parts, drawing);
    const margins = [...sheet.margins.values()]
      .map(readMargin)
      .filter((text) => text && !seenMargins.has(text));
    for (const text of margins) seenMargins.add(text);
    builder.leaveOut(
      "embedded file",
      "embedded files",
      relationships.filter(({ type }) => EMBEDDED.has(type)).length,
    );
    if (sheet.rows.length + sheet.notes.length + drawings.length + margins.length === 0) continue;
    const page = at + 1;
    builder.heading(1, headingOfSheet(listed.name, book.sheets.length === 1), page);
    addGrid(builder, sheet, page);
    for (const content of drawings) addDrawing(builder, content, { page });
    for (const text of new Set(margins)) builder.add("paragraph", text, { page });
  }
  noteHiddenSheets(builder, book.sheets);
  return book.sheets.map(({ name }) => name);
}
