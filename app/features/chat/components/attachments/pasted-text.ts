/** Characters of a pasted text from which on it is offered as a file. */
const LONG = 8000;

/** A pasted text as the field holds it, if it is long. */
export function longPaste(text: string): string | undefined {
  return text.length > LONG ? text.replaceAll(/\r\n?/g, "\n") : undefined;
}
