import { z } from "zod";
import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { readInProcess } from "~/core/read-pool.server";
import { authorise } from "~/platform/rights/authorization.server";
import { documentsByNameQuery } from "./documents.repo.server";

const Row = z.tuple([z.string(), z.string()]);

export async function findDocumentsByName(
  actor: Actor,
  terms: readonly string[],
  limit: number,
): Promise<{ id: string; name: string }[]> {
  authorise(actor, "screens.read");
  const rows = (await readInProcess([documentsByNameQuery(db(), actor, terms, limit)])).flat();
  return rows.map((row) => {
    const [id, name] = Row.parse(row);
    return { id, name };
  });
}
