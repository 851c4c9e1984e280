import type { Db } from "~/core/db.server";
import { organisations } from "~db/schema";

export function findOrganisationId(tx: Db): string | undefined {
  return tx.select({ id: organisations.id }).from(organisations).limit(1).get()?.id;
}
