/** A path of this server that a form may lead back to, else `/`: never another host's address. */
export function safeReturnTo(value: unknown): string {
  if (typeof value !== "string" || !value.startsWith("/")) return "/";
  // Browsers read a backslash as a slash, and skip tabs and line breaks.
  if (/^\/[/\\]|[\\\t\r\n]/.test(value)) return "/";
  return value;
}
