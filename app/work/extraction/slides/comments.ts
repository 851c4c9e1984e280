import { oneLine } from "../document-builder";
import { commentLine } from "../labels";
import { type Parts, readXml } from "../office";
import { readRelationships } from "../office-relationships";

const AUTHOR_PARTS = new Set(["commentAuthors", "authors"]);

/** Lists the names of those who commented on slides by their ids. */
export function readCommentAuthors(parts: Parts, presentation: string): Map<string, string> {
  const authors = new Map<string, string>();
  for (const { type, target } of readRelationships(parts, presentation)) {
    const bytes = AUTHOR_PARTS.has(type) ? parts.get(target) : undefined;
    if (!bytes) continue;
    readXml(bytes, {
      open(name, { id, name: author = "" }) {
        if ((name === "cmAuthor" || name === "author") && id) authors.set(id, oneLine(author));
      },
    });
  }
  return authors;
}

/** Reads the comments on a slide, in the form of PowerPoint 2007 or of 2021, with the answers to them. */
export function readComments(parts: Parts, slide: string, authors: ReadonlyMap<string, string>): string[] {
  const comments: string[] = [];
  let [author, text, inText] = ["", "", false];
  const close = () => {
    const line = oneLine(text);
    if (line) comments.push(commentLine(author, line));
    text = "";
  };
  for (const { type, target } of readRelationships(parts, slide)) {
    const bytes = type === "comments" ? parts.get(target) : undefined;
    if (!bytes) continue;
    readXml(bytes, {
      open(name, { authorId = "" }) {
        if (name === "cm" || name === "reply") author = authors.get(authorId) ?? "";
        inText = name === "text" || name === "t";
      },
      text(piece) {
        if (inText) text += piece;
      },
      close(name) {
        inText = false;
        if (name === "p") text += " ";
        // The text of a modern comment follows the answers to it.
        if (name === "text" || name === "txBody") close();
      },
    });
  }
  return comments;
}
