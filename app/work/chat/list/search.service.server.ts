import { z } from "zod";
import type { Actor } from "~/core/actor";
import { yieldToEventLoop } from "~/core/background.server";
import { KeyNumber, keyset } from "~/core/cursor";
import { db, wordsQuery } from "~/core/db.server";
import { locateWords, searchedWords } from "~/core/language/find-terms";
import type { FindWord } from "~/core/language/find-words.shared";
import { readInProcess } from "~/core/read-pool.server";
import { authorise } from "~/platform/rights/authorization.server";
import { showTableRows } from "~/work/search/table-rows.shared";
import { findConversationsQuery, searchMessagesQuery } from "./list.repo.server";
import type { MessageHit } from "./list.schema";

const Row = z.tuple([
  z.number(),
  z.string(),
  z.string(),
  z.string(),
  z.enum(["user", "assistant"]),
  z.number(),
  z.string().nullable(),
]);

const pages = keyset(z.object({ entry: KeyNumber }));

/** Own messages and answers that contain every word, newest first. */
export async function searchMessages(
  actor: Actor,
  { q, limit, cursor }: { q: string; limit: number; cursor?: string | undefined },
): Promise<{ hits: MessageHit[]; next?: string }> {
  authorise(actor, "chat.use");
  const words = searchedWords(q);
  const match = wordsQuery(words);
  const before = pages.decode(cursor)?.entry;
  if (match === undefined) return { hits: [] };
  const results = await readInProcess([
    searchMessagesQuery(db(), actor, { match, limit: limit + 1, before }),
  ]);
  const all = results.flat().map((row) => Row.parse(row));
  const { rows, ...next } = pages.page(all, limit, ([entry]) => ({ entry }));
  const hits: MessageHit[] = [];
  for (const [, conversationId, title, messageId, role, createdAt, text] of rows) {
    // Folding a long text may take some ms.
    await yieldToEventLoop();
    hits.push({
      conversationId,
      title,
      messageId,
      role,
      timestamp: new Date(createdAt).toISOString(),
      excerpt: excerptOf(text ?? "", words),
    });
  }
  return { hits, ...next };
}

const Found = z.tuple([z.string(), z.string()]);

export async function findConversations(
  actor: Actor,
  words: readonly FindWord[],
  limit: number,
): Promise<{ id: string; title: string }[]> {
  authorise(actor, "chat.use");
  const rows = (await readInProcess([findConversationsQuery(db(), actor, words, limit)])).flat();
  return rows.map((row) => {
    const [id, title] = Found.parse(row);
    return { id, title };
  });
}

/** In characters: of an excerpt, and before its first match. */
const LENGTH = 220;
const BEFORE = 60;

/** Markdown syntax that is dropped in an excerpt. */
const MARKS = /\*\*|`|\n[ \t]*(?:#{1,6}|>+)(?=[ \t])/g;

const LEADING_MARK = /^\s*(?:#{1,6}|>+)[ \t]+/;

const LINK = /\[([^[\]\n]{1,200})\]\([^()\s]{0,2000}\)/g;

function atSpace(text: string, from: number): number {
  if (from === 0) return 0;
  const space = text.slice(from, from + 30).search(/\s/);
  return space < 0 ? from : from + space + 1;
}

export function excerptOf(source: string, words: readonly FindWord[]): MessageHit["excerpt"] {
  const text = showTableRows(source).replace(LEADING_MARK, "").replaceAll(LINK, "$1");
  const ranges = locateWords(text, words);
  const first = ranges.next().value;
  const start = atSpace(text, Math.max(0, (first?.from ?? 0) - BEFORE));
  const end = Math.min(text.length, start + LENGTH);
  const parts: MessageHit["excerpt"] = [];
  const add = (from: number, to: number, hit: boolean) => {
    const piece = text
      .slice(from, to)
      .replaceAll(MARKS, (mark) => (mark.startsWith("\n") ? " " : ""))
      .replaceAll(/\s+/g, " ");
    if (piece !== "") parts.push({ text: piece, hit });
  };
  let at = start;
  for (let range = first; range && range.to <= end; range = ranges.next().value) {
    add(at, range.from, false);
    add(range.from, range.to, true);
    at = range.to;
  }
  add(at, end, false);
  const [beginning] = parts;
  const last = parts.at(-1);
  if (beginning && start > 0) beginning.text = `…${beginning.text}`;
  if (last && end < text.length) last.text = `${last.text}…`;
  return parts;
}
