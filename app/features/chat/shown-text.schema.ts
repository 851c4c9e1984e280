const ODD = /\r\n?|(?![\t\n])\p{Cc}|\p{Surrogate}/gu;

function shown(odd: string): string {
  const code = odd.charCodeAt(0);
  if (code === 13) return "\n";
  if (code < 32) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : "\ufffd";
}

/**
 * A text as a page can show it, the same on the server and in the browser: one kind of line end, control characters by
 * their pictures, and no half of a surrogate pair, which UTF-8 doesn't have.
 */
export function shownText(text: string): string {
  return text.replace(ODD, shown);
}
