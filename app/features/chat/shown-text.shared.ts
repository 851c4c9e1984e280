const ODD = /\r\n?|(?![\t\n])\p{Cc}|\p{Surrogate}/gu;

function escapeControl(odd: string): string {
  const code = odd.charCodeAt(0);
  if (code === 13) return "\n";
  if (code < 32) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : "\ufffd";
}

/** Normalizes line ends, control characters and lone surrogates alike on both sides. */
export function shownText(text: string): string {
  return text.replace(ODD, escapeControl);
}
