/** Stands for this console's own origin while an address is read. */
const OWN = "http://console.invalid";
/** Addresses that would lead into a loop, or answer no page. */
const NO_PAGE = /^\/(api\/|login$|logout$)/;

/**
 * A path of this console that a form or a sign-in may lead back to, else `/`: never another host's address. Browsers
 * read a backslash as a slash and drop tabs and line breaks, so only plain ASCII passes.
 */
export function safeReturnTo(value: unknown): string {
  if (typeof value !== "string" || value.length > 2000) return "/";
  if (!/^\/(?!\/)[\x21-\x7e]*$/.test(value) || value.includes("\\") || !URL.canParse(value, OWN)) return "/";
  const url = new URL(value, OWN);
  if (url.origin !== OWN || url.pathname.startsWith("//") || NO_PAGE.test(url.pathname)) return "/";
  return url.pathname + url.search + url.hash;
}
