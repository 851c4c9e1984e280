import { makeDocx } from "./document-files";

export const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
export const R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
export const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/** @param properties XML below `w:rPr` */
export const run = (text: string, properties = "") =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
/** @param properties XML below `w:pPr` */
export const p = (inner: string, properties = "") => `<w:p><w:pPr>${properties}</w:pPr>${inner}</w:p>`;
export const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
export const code = (text: string) => `<w:r><w:instrText>${text}</w:instrText></w:r>`;
export const field = (instruction: string, result: string) =>
  mark("begin") + code(instruction) + mark("separate") + result + mark("end");

/**
 * A Word file with parts of its own.
 * @param body WordprocessingML below `w:body`
 * @param parts by name
 * @param links targets of relationships by ID, such as `{ rId9: "header header1.xml" }`
 */
export function docx(
  body: string,
  parts: Record<string, string | Uint8Array> = {},
  links: Record<string, string> = {},
) {
  const base = { rId1: "styles styles.xml", rId2: "numbering numbering.xml", ...links };
  const lines = Object.entries(base).map(([id, link]) => {
    const [type, target] = link.split(" ");
    return `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`;
  });
  const relationships = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${lines.join("")}</Relationships>`;
  return makeDocx(body, {
    parts: { "word/_rels/document.xml.rels": relationships, ...parts } as Record<string, string>,
  });
}
