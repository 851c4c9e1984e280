/** The head of a page that was saved with its images as one file (MHTML). */
const WEB_ARCHIVE =
  /^\s{0,99}(?:[\w-]{1,50}:[^\n]{0,500}\n(?:[ \t][^\n]{0,500}\n){0,9}){0,20}Content-Type:\s*multipart\/related/i;

export const isWebArchive = (start: string): boolean => WEB_ARCHIVE.test(start);

/** @returns the HTML of the page; empty if it has none */
export async function pageOfArchive(bytes: Uint8Array): Promise<string> {
  const { default: PostalMime } = await import("postal-mime");
  const { html, text } = await PostalMime.parse(bytes, { maxNestingDepth: 20 });
  return html ?? text ?? "";
}
