const UNDISPLAYABLE = /\r\n?|(?![\t\n])\p{Cc}|\p{Surrogate}/gu;

function escapeControl(character: string): string {
  const code = character.charCodeAt(0);
  if (code === 13) return "\n";
  if (code < 32) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : "\ufffd";
}

/** Replaces line ends, control characters and lone surrogates; server and browser get the same text. */
export function toDisplayText(text: string): string {
  return text.replace(UNDISPLAYABLE, escapeControl);
}
