import type { Facts } from "../../../documents/document-view.schema";

/** Where a document's own bytes are downloaded. */
export function originalUrl(id: string, version?: number): string {
  const address = `/api/rag/documents/${encodeURIComponent(id)}/original`;
  return version === undefined ? address : `${address}?version=${version}`;
}

/** An address that came from outside, if it may be a link: nothing but web pages. */
export function webAddress(source: string | null): string | undefined {
  if (!source || !URL.canParse(source)) return undefined;
  const { protocol, href } = new URL(source);
  return protocol === "http:" || protocol === "https:" ? href : undefined;
}

export const TYPES = { text: "Text", url: "Web page", file: "File" } as const;

/** What a page of a document is called: a workbook's by its sheet's name. */
export function labelOfPage(number: number, facts: Pick<Facts, "format" | "sheets"> | undefined): string {
  if (facts?.format === "PowerPoint") return `Slide ${number}`;
  if (facts?.format === "Excel") return facts.sheets?.[number - 1] ?? `Sheet ${number}`;
  return `Page ${number}`;
}
