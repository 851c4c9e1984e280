import { eq } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { organisations, orgSettings, userSettings } from "~db/schema";

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

type StoredTheme = (typeof userSettings.$inferSelect)["theme"];

export function readUserTheme(tx: Db, userId: string): StoredTheme | undefined {
  return tx
    .select({ theme: userSettings.theme })
    .from(userSettings)
    .where(eq(userSettings.userId, userId))
    .get()?.theme;
}

export function saveUserTheme(tx: Db, userId: string, theme: NonNullable<StoredTheme>, at: number): void {
  tx.insert(userSettings)
    .values({ userId, theme, updatedAt: at })
    .onConflictDoUpdate({ target: userSettings.userId, set: { theme, updatedAt: at } })
    .run();
}
