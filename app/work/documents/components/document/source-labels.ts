import type { Facts } from "~/work/extraction/document.schema";
import type { DocumentDetail } from "../../documents.schema";

export function originalUrl(id: string, version?: number): string {
  const address = `/api/rag/documents/${encodeURIComponent(id)}/original`;
  return version === undefined ? address : `${address}?version=${version}`;
}

/** The address of a PDF's page as a picture; undefined for other formats. */
export function pictureUrl(
  { id, version }: Pick<DocumentDetail, "id" | "version">,
  page: number,
  shown?: number,
): string | undefined {
  const number = shown ?? version?.number;
  if (version?.facts.format !== "PDF" || number === undefined) return undefined;
  return `/api/rag/documents/${encodeURIComponent(id)}/pages/${page}?version=${number}`;
}

/** An external URL that is safe to link: http and https only. */
export function webAddress(source: string | null): string | undefined {
  if (!source || !URL.canParse(source)) return undefined;
  const { protocol, href } = new URL(source);
  return protocol === "http:" || protocol === "https:" ? href : undefined;
}

export const TYPES = { text: "Text", url: "Web page", file: "File" } as const;

/** @param last of several pages */
export function labelOfPage(
  number: number,
  facts: Pick<Facts, "format" | "sheets"> | undefined,
  last = number,
): string {
  const numbers = last === number ? ` ${number}` : `s ${number}–${last}`;
  if (facts?.format === "PowerPoint") return `Slide${numbers}`;
  if (facts?.format === "Excel") return facts.sheets?.[number - 1] ?? `Sheet${numbers}`;
  return `Page${numbers}`;
}

export function pageUnit(format: string): "page" | "sheet" | "slide" {
  return format === "PowerPoint" ? "slide" : format === "Excel" ? "sheet" : "page";
}

/** The format by file name, for search results, which have no facts. */
export function formatOfName(name: string): string {
  if (/\.pptx$/i.test(name)) return "PowerPoint";
  return /\.xl[st][xm]?$/i.test(name) ? "Excel" : "";
}
