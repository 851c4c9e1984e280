import type { DocumentBuilder } from "../document-builder";

/** Default sheet names: `Sheet1`, `Tabelle1`, `Feuil1`. */
const DEFAULT_NAME = /^\p{L}+\s?\d{1,2}$/u;
/** Of hidden sheets in a note. */
const MAX_NAMES = 10;

/** The name of a sheet as a heading: none if it is the only one and has a default name. */
export const headingOfSheet = (name: string, isSingle: boolean): string =>
  isSingle && DEFAULT_NAME.test(name) ? "" : name;

export function noteHiddenSheets(
  builder: DocumentBuilder,
  sheets: readonly { name: string; isHidden: boolean }[],
): void {
  const names = sheets.flatMap(({ name, isHidden }) => (isHidden ? name : []));
  if (names.length === 0) return;
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
  builder.note(`Hidden sheets were read, too: ${names.slice(0, MAX_NAMES).join(", ")}${more}.`);
}
