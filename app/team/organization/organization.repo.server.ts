import { eq } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { organisations } from "~db/schema";

export function readOrganisationName(tx: Db, orgId: string): string | undefined {
  return tx.select({ name: organisations.name }).from(organisations).where(eq(organisations.id, orgId)).get()
    ?.name;
}
