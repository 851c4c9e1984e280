import { commentLabel } from "../labels";
import { type Parts, readXml } from "../office";
import { type Relationship, readRelationships } from "../office-relationships";
import { type Note, parseArea } from "./grid";
import { StringItem } from "./strings";

/** Author of the note that programs without threads show in a thread's place. */
const THREAD_STANDIN = /^tc=/;

/** Reads the notes of cells, leaving out those that stand for threads. */
function readNotes(part: Uint8Array, hasThreads: boolean): Note[] {
  const notes: Note[] = [];
  const authors: string[] = [];
  let author: string | undefined;
  let note: { ref: string; author: string; item: StringItem } | undefined;
  readXml(part, {
    open(name, { ref = "", authorId }) {
      if (name === "author") author = "";
      else if (name === "comment")
        note = { ref, author: authors[Number(authorId)] ?? "", item: new StringItem() };
      else note?.item.open(name);
    },
    text(text) {
      if (author !== undefined) author += text;
      else note?.item.text(text);
    },
    close(name) {
      if (name === "author") {
        authors.push(author ?? "");
        author = undefined;
      } else if (name === "comment" && note) {
        const { top, left } = parseArea(note.ref) ?? {};
        const isStandin = hasThreads && THREAD_STANDIN.test(note.author);
        if (top && left && !isStandin)
          notes.push({ row: top, column: left, kind: "Note", text: note.item.value });
        note = undefined;
      } else note?.item.close(name);
    },
  });
  return notes;
}

/** Reads comments with their replies, which have a name each. */
function readThreads(part: Uint8Array, people: ReadonlyMap<string, string>): Note[] {
  const notes: Note[] = [];
  let note: Note | undefined;
  let inText = false;
  readXml(part, {
    open(name, { ref = "", personId = "" }) {
      inText = name === "text";
      if (name !== "threadedComment") return;
      const { top, left } = parseArea(ref) ?? {};
      const person = people.get(personId);
      if (top && left) note = { row: top, column: left, kind: commentLabel(person ?? ""), text: "" };
    },
    text(text) {
      if (inText && note) note.text += text;
    },
    close(name) {
      inText = false;
      if (name !== "threadedComment" || !note) return;
      notes.push(note);
      note = undefined;
    },
  });
  return notes;
}

/** Names of those who wrote comments, by their id. */
export function readPeople(parts: Parts, workbook: string): Map<string, string> {
  const people = new Map<string, string>();
  for (const { type, target } of readRelationships(parts, workbook)) {
    const part = type === "person" ? parts.get(target) : undefined;
    if (!part) continue;
    readXml(part, {
      open(name, { id = "", displayName = "" }) {
        if (name === "person" && displayName) people.set(id, displayName);
      },
    });
  }
  return people;
}

/** Reads the notes and comments of a sheet. */
export function readComments(
  parts: Parts,
  relationships: readonly Relationship[],
  people: ReadonlyMap<string, string>,
): Note[] {
  const partsOf = (kind: string) =>
    relationships.flatMap(({ type, target }) => (type === kind ? (parts.get(target) ?? []) : []));
  const threads = partsOf("threadedComment").flatMap((part) => readThreads(part, people));
  const notes = partsOf("comments").flatMap((part) => readNotes(part, threads.length > 0));
  return [...notes, ...threads];
}
