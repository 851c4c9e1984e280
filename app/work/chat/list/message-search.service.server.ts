import { z } from "zod";
import type { Actor } from "~/core/actor";
import { KeyNumber, keyset } from "~/core/cursor";
import { db, wordsQuery } from "~/core/db.server";
import { readInProcess } from "~/core/read-pool.server";
import { authorise } from "~/platform/rights/authorization.server";
import { excerptOf } from "./excerpt";
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

const MAX_WORDS = 8;

const wordsOf = (query: string): string[] =>
  query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);

/** Own messages and answers that contain every word, newest first. */
export async function searchMessages(
  actor: Actor,
  { q, limit, cursor }: { q: string; limit: number; cursor?: string | undefined },
): Promise<{ hits: MessageHit[]; next?: string }> {
  authorise(actor, "chat.use");
  const words = wordsOf(q);
  const match = wordsQuery(words);
  const before = pages.decode(cursor)?.entry;
  if (match === undefined) return { hits: [] };
  const results = await readInProcess([
    searchMessagesQuery(db(), actor, { match, limit: limit + 1, before }),
  ]);
  const all = results.flat().map((row) => Row.parse(row));
  const { rows, ...next } = pages.page(all, limit, ([entry]) => ({ entry }));
  const hits = rows.map(([, conversationId, title, messageId, role, createdAt, text]) => ({
    conversationId,
    title,
    messageId,
    role,
    timestamp: new Date(createdAt).toISOString(),
    excerpt: excerptOf(text ?? "", words),
  }));
  return { hits, ...next };
}

const Found = z.tuple([z.string(), z.string()]);

export async function findConversations(
  actor: Actor,
  words: readonly string[],
  limit: number,
): Promise<{ id: string; title: string }[]> {
  authorise(actor, "chat.use");
  const rows = (await readInProcess([findConversationsQuery(db(), actor, words, limit)])).flat();
  return rows.map((row) => {
    const [id, title] = Found.parse(row);
    return { id, title };
  });
}
