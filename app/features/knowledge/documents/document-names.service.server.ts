import { z } from "zod";
import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { readInProcess } from "~/core/read-pool.server";
import { authorise } from "~/features/members/authorisation.server";
import { namedQuery } from "./documents.repo.server";

const Row = z.tuple([z.string(), z.string()]);

export async function findDocumentsByName(
  actor: Actor,
  words: readonly string[],
  limit: number,
): Promise<{ id: string; name: string }[]> {
  authorise(actor, "screens.read");
  const rows = (await readInProcess([namedQuery(db(), actor, words, limit)])).flat();
  return rows.map((row) => {
    const [id, name] = Row.parse(row);
    return { id, name };
  });
}
