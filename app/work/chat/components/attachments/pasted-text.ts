/** Length above which pasted text is offered as a file, in characters. */
const LONG_PASTE = 8000;

/** Long pasted text with the field's line ends; undefined if it is short. */
export function longPaste(text: string): string | undefined {
  return text.length > LONG_PASTE ? text.replaceAll(/\r\n?/g, "\n") : undefined;
}
