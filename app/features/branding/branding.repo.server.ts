import type { Db } from "~/core/db.server";
import { organisations } from "~db/schema";

/** The installation's one organisation, for visitors who aren't signed in; undefined before set-up. */
export function findOrganisationId(tx: Db): string | undefined {
  return tx.select({ id: organisations.id }).from(organisations).limit(1).get()?.id;
}
