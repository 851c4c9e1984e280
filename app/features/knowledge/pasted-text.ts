import { looksLikeMarkdown } from "./extraction/markdown/looks-like-markdown";

/**
 * What a text is that comes without a file: typed, pasted or handed over by a program. It decides how the text is read;
 * a file's name and type decide for a file.
 */
export function pastedType(text: string): string {
  return `${looksLikeMarkdown(text) ? "text/markdown" : "text/plain"}; charset=utf-8`;
}
