import { and, avg, count, eq, isNotNull, lt } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { mcpAccounts, mcpServers, pluginCatalogs, pluginInstallations, pluginRatings } from "~db/schema";

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

export const listActiveRows = (tx: Db, orgId: string): InstallationRow[] =>
  listInstallationRows(tx, orgId).filter(({ enabled, removedAt }) => enabled && removedAt === null);

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

/** Parsed rows: a thousand tools take 10 ms to parse, and each call of a tool looks for its own among all. */
const parsed = new Map<string, McpServerRow>();
const MAX_PARSED = 100;

export function listMcpServerRows(tx: Db, orgId: string): McpServerRow[] {
  const { id, updatedAt, credentials } = mcpServers;
  return tx
    .select({ id, updatedAt, credentials })
    .from(mcpServers)
    .where(eq(mcpServers.orgId, orgId))
    .orderBy(mcpServers.createdAt, mcpServers.id)
    .all()
    .flatMap((version) => {
      const known = parsed.get(version.id);
      const isCurrent =
        known?.orgId === orgId &&
        known.updatedAt === version.updatedAt &&
        known.credentials === version.credentials;
      if (isCurrent) return [known];
      const row = findMcpServerRow(tx, orgId, version.id);
      if (!row) return [];
      if (parsed.size >= MAX_PARSED) parsed.clear();
      parsed.set(row.id, row);
      return [row];
    });
}

/** Servers whose plugin is installed and enabled. */
export function listActiveServerRows(tx: Db, orgId: string): McpServerRow[] {
  const active = new Set(listActiveRows(tx, orgId).map(({ pluginId }) => pluginId));
  return listMcpServerRows(tx, orgId).filter(({ id }) => active.has(id));
}

const isServer = (orgId: string, id: string) => and(eq(mcpServers.orgId, orgId), eq(mcpServers.id, id));

export function findMcpServerRow(tx: Db, orgId: string, id: string): McpServerRow | undefined {
  return tx.select().from(mcpServers).where(isServer(orgId, id)).get();
}

/** Undefined unless its plugin is installed and enabled. */
export function findActiveServerRow(tx: Db, orgId: string, id: string): McpServerRow | undefined {
  const installation = findInstallationRow(tx, orgId, id);
  if (!installation?.enabled || installation.removedAt !== null) return undefined;
  return findMcpServerRow(tx, orgId, id);
}

export function saveMcpServerRow(tx: Db, row: McpServerRow): void {
  tx.insert(mcpServers).values(row).onConflictDoUpdate({ target: mcpServers.id, set: row }).run();
}

/** Of the shared account and of all persons. Called on uninstall, unlike `forgetRemovedSettings`: tokens aren't kept. */
export function forgetMcpCredentials(tx: Db, orgId: string, id: string): void {
  tx.update(mcpServers).set({ credentials: null }).where(isServer(orgId, id)).run();
  tx.delete(mcpAccounts)
    .where(and(eq(mcpAccounts.orgId, orgId), eq(mcpAccounts.serverId, id)))
    .run();
}

type McpAccountRow = typeof mcpAccounts.$inferSelect;

const isAccount = ({ orgId, serverId, userId }: Pick<McpAccountRow, "orgId" | "serverId" | "userId">) =>
  and(eq(mcpAccounts.orgId, orgId), eq(mcpAccounts.serverId, serverId), eq(mcpAccounts.userId, userId));

export const findMcpAccountRow = (tx: Db, key: Parameters<typeof isAccount>[0]): McpAccountRow | undefined =>
  tx.select().from(mcpAccounts).where(isAccount(key)).get();

export function saveMcpAccountRow(tx: Db, row: McpAccountRow): void {
  tx.insert(mcpAccounts)
    .values(row)
    .onConflictDoUpdate({ target: [mcpAccounts.serverId, mcpAccounts.userId], set: row })
    .run();
}

export function deleteMcpAccountRow(tx: Db, key: Parameters<typeof isAccount>[0]): void {
  tx.delete(mcpAccounts).where(isAccount(key)).run();
}

/** @returns the servers at which the person had one */
export function deleteMcpAccountsOf(tx: Db, orgId: string, userId: string): McpAccountRow[] {
  return tx
    .delete(mcpAccounts)
    .where(and(eq(mcpAccounts.orgId, orgId), eq(mcpAccounts.userId, userId)))
    .returning()
    .all();
}

export function deleteMcpServerRow(tx: Db, orgId: string, id: string): void {
  tx.delete(mcpServers).where(isServer(orgId, id)).run();
}

type CatalogRow = typeof pluginCatalogs.$inferSelect;

export function findCatalogRow(tx: Db, url: string): CatalogRow | undefined {
  return tx.select().from(pluginCatalogs).where(eq(pluginCatalogs.url, url)).get();
}

export function saveCatalogRow(tx: Db, row: CatalogRow): void {
  tx.insert(pluginCatalogs).values(row).onConflictDoUpdate({ target: pluginCatalogs.url, set: row }).run();
}

export type McpTarget = Pick<
  McpServerRow,
  "id" | "orgId" | "title" | "transport" | "target" | "keys" | "usesOAuth"
> & {
  /** The person whose own account its calls use; undefined for the shared one. */
  userId?: string | undefined;
};
