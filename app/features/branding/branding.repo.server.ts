import { eq } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { organisations, orgSettings } from "~db/schema";

/** The stored branding of the installation's one organisation; signed-out visitors see it too. */
export function readStoredBranding(tx: Db): Record<string, unknown> | undefined {
  return tx
    .select({ value: orgSettings.value })
    .from(orgSettings)
    .where(eq(orgSettings.key, "branding"))
    .get()?.value;
}

export function readOrganisationName(tx: Db, orgId: string): string | undefined {
  return tx.select({ name: organisations.name }).from(organisations).where(eq(organisations.id, orgId)).get()
    ?.name;
}
