import { and, avg, count, eq, isNotNull, isNull, lt } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { mcpServers, pluginInstallations, pluginRatings } from "~db/schema";

export type InstallationRow = typeof pluginInstallations.$inferSelect;
export type PluginConsent = InstallationRow["consent"];
export type McpServerRow = typeof mcpServers.$inferSelect;
export type McpTool = McpServerRow["tools"][number];
export type McpPrompt = McpServerRow["prompts"][number];
export type McpResource = McpServerRow["resources"][number];
export type McpDecision = McpServerRow["decisions"][string];

export function listInstallationRows(tx: Db, orgId: string): InstallationRow[] {
  return tx
    .select()
    .from(pluginInstallations)
    .where(eq(pluginInstallations.orgId, orgId))
    .orderBy(pluginInstallations.installedAt, pluginInstallations.id)
    .all();
}

export function listActiveRows(tx: Db, orgId: string): InstallationRow[] {
  return tx
    .select()
    .from(pluginInstallations)
    .where(
      and(
        eq(pluginInstallations.orgId, orgId),
        eq(pluginInstallations.enabled, true),
        isNull(pluginInstallations.removedAt),
      ),
    )
    .orderBy(pluginInstallations.installedAt, pluginInstallations.id)
    .all();
}

export function findInstallationRow(tx: Db, orgId: string, pluginId: string): InstallationRow | undefined {
  return tx
    .select()
    .from(pluginInstallations)
    .where(and(eq(pluginInstallations.orgId, orgId), eq(pluginInstallations.pluginId, pluginId)))
    .get();
}

export function saveInstallationRow(tx: Db, row: InstallationRow): void {
  tx.insert(pluginInstallations)
    .values(row)
    .onConflictDoUpdate({ target: [pluginInstallations.orgId, pluginInstallations.pluginId], set: row })
    .run();
}

/** Empties settings of long uninstalled plugins. @returns their ids */
export function forgetRemovedSettings(tx: Db, before: number): { orgId: string; pluginId: string }[] {
  return tx
    .update(pluginInstallations)
    .set({ settings: {} })
    .where(and(isNotNull(pluginInstallations.removedAt), lt(pluginInstallations.removedAt, before)))
    .returning({ orgId: pluginInstallations.orgId, pluginId: pluginInstallations.pluginId })
    .all();
}

export function listRatingSums(tx: Db, orgId: string): { pluginId: string; mean: number; n: number }[] {
  return tx
    .select({ pluginId: pluginRatings.pluginId, mean: avg(pluginRatings.stars).mapWith(Number), n: count() })
    .from(pluginRatings)
    .where(eq(pluginRatings.orgId, orgId))
    .groupBy(pluginRatings.pluginId)
    .all();
}

export function findRating(tx: Db, orgId: string, pluginId: string, userId: string): number | undefined {
  return tx
    .select({ stars: pluginRatings.stars })
    .from(pluginRatings)
    .where(
      and(
        eq(pluginRatings.orgId, orgId),
        eq(pluginRatings.pluginId, pluginId),
        eq(pluginRatings.userId, userId),
      ),
    )
    .get()?.stars;
}

export function saveRating(tx: Db, row: typeof pluginRatings.$inferInsert): void {
  tx.insert(pluginRatings)
    .values(row)
    .onConflictDoUpdate({
      target: [pluginRatings.orgId, pluginRatings.pluginId, pluginRatings.userId],
      set: row,
    })
    .run();
}

export function listMcpServerRows(tx: Db, orgId: string): McpServerRow[] {
  return tx
    .select()
    .from(mcpServers)
    .where(eq(mcpServers.orgId, orgId))
    .orderBy(mcpServers.createdAt, mcpServers.id)
    .all();
}

export function findMcpServerRow(tx: Db, orgId: string, id: string): McpServerRow | undefined {
  return tx
    .select()
    .from(mcpServers)
    .where(and(eq(mcpServers.orgId, orgId), eq(mcpServers.id, id)))
    .get();
}

export function saveMcpServerRow(tx: Db, row: McpServerRow): void {
  tx.insert(mcpServers).values(row).onConflictDoUpdate({ target: mcpServers.id, set: row }).run();
}

/** Called on uninstall, unlike `forgetRemovedSettings`: tokens aren't kept. */
export function forgetMcpCredentials(tx: Db, orgId: string, id: string): void {
  tx.update(mcpServers)
    .set({ credentials: null })
    .where(and(eq(mcpServers.orgId, orgId), eq(mcpServers.id, id)))
    .run();
}

export function deleteMcpServerRow(tx: Db, orgId: string, id: string): void {
  tx.delete(mcpServers)
    .where(and(eq(mcpServers.orgId, orgId), eq(mcpServers.id, id)))
    .run();
}
