import { z } from "zod";
import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { readInProcess } from "~/core/read-pool.server";
import { authorise } from "~/platform/rights/authorization.server";
import { findConversationsQuery } from "./chat.repo.server";

const Row = z.tuple([z.string(), z.string()]);

export async function findConversations(
  actor: Actor,
  words: readonly string[],
  limit: number,
): Promise<{ id: string; title: string }[]> {
  authorise(actor, "chat.use");
  const rows = (await readInProcess([findConversationsQuery(db(), actor, words, limit)])).flat();
  return rows.map((row) => {
    const [id, title] = Row.parse(row);
    return { id, title };
  });
}
