/** A text as the content of a textarea, in UTF-8. A parser leaves out a line's end at its very beginning: it is doubled. */
export function textareaContent(text: string): Uint8Array<ArrayBuffer> {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return new TextEncoder().encode(escaped.startsWith("\n") ? `\n${escaped}` : escaped);
}
