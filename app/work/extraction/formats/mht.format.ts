import type { DocumentFormat } from "../format";
import { readPage } from "../html/page";
import { isWebArchive, pageOfArchive } from "../html/web-archive";

/** A header of an email; browsers write themselves as its sender. */
const EMAIL = /^(?:from:(?![^\n]{0,20}<saved by)|to:|received:|message-id:)/im;

/** Pages saved with their images as one file, by browsers and by Word. */
export const mht: DocumentFormat = {
  label: "Web archive",
  endings: [".mht", ".mhtml"],
  types: ["multipart/related"],
  isText: false,
  recognizes: ({ isText, start }) =>
    isText && isWebArchive(start) && !EMAIL.test(start.split(/\r?\n\r?\n/, 1)[0] ?? ""),
  async read({ bytes }) {
    const page = readPage(await pageOfArchive(bytes));
    return { ...page, facts: { ...page.facts, format: this.label } };
  },
};
