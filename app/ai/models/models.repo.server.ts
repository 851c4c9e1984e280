import { and, asc, eq, isNotNull, type SQL } from "drizzle-orm";
import { type Db, preparedDelete, preparedFind, preparedHas, preparedInsert } from "~/core/db.server";
import { discoveredModels, modelRefusals, modelSettings, providers } from "~db/schema";
import { HubModel } from "./catalogue.schema";
import type { Hub } from "./model-options.shared";
import type { ListedModel } from "./models.schema";

export type ProviderRow = typeof providers.$inferSelect;

/** By priority, then by age. */
export function listProviderRows(db: Db, orgId: string): ProviderRow[] {
  return db
    .select()
    .from(providers)
    .where(eq(providers.orgId, orgId))
    .orderBy(asc(providers.priority), asc(providers.createdAt), asc(providers.id))
    .all();
}

export function listProviderOrgs(db: Db): string[] {
  return db
    .selectDistinct({ orgId: providers.orgId })
    .from(providers)
    .all()
    .map(({ orgId }) => orgId);
}

export const findProviderRow = preparedFind(providers, "orgId", "id");
export const hasProviderOfType = preparedHas(providers, "type");
export const insertProviderRow = preparedInsert(providers);
export const deleteProviderRow = preparedDelete(providers, "orgId", "id");

export function updateProviderRow(
  db: Db,
  orgId: string,
  id: string,
  change: Partial<Omit<ProviderRow, "id" | "orgId" | "createdAt">>,
): void {
  db.update(providers)
    .set(change)
    .where(and(eq(providers.orgId, orgId), eq(providers.id, id)))
    .run();
}

/** Stores a provider's list and forgets what its models refused, since its servers may have changed. */
export function saveModelList(
  db: Db,
  orgId: string,
  id: string,
  list: { models: ListedModel[]; modelsAt: number },
): void {
  updateProviderRow(db, orgId, id, list);
  db.delete(modelRefusals).where(eq(modelRefusals.providerId, id)).run();
}

export type ModelRefusal = typeof modelRefusals.$inferSelect;

export function insertModelRefusal(db: Db, row: ModelRefusal): void {
  const { providerId, modelId, feature } = modelRefusals;
  db.insert(modelRefusals)
    .values(row)
    .onConflictDoUpdate({
      target: [providerId, modelId, feature],
      set: { createdAt: row.createdAt, reason: row.reason },
    })
    .run();
}

export function listModelRefusals(db: Db, orgId: string): ModelRefusal[] {
  return db.select().from(modelRefusals).where(eq(modelRefusals.orgId, orgId)).all();
}

export type ModelSettingsRow = typeof modelSettings.$inferSelect;

/** Oldest first. */
export function listModelSettings(db: Db, orgId: string, ...conditions: SQL[]): ModelSettingsRow[] {
  return db
    .select()
    .from(modelSettings)
    .where(and(eq(modelSettings.orgId, orgId), ...conditions))
    .orderBy(asc(modelSettings.createdAt), asc(modelSettings.modelId))
    .all();
}

export const listLimitedModels = (db: Db, orgId: string): ModelSettingsRow[] =>
  listModelSettings(db, orgId, isNotNull(modelSettings.groups));

export function listAddedModels(db: Db, orgId: string, providerType: string): ModelSettingsRow[] {
  return listModelSettings(
    db,
    orgId,
    eq(modelSettings.providerType, providerType),
    isNotNull(modelSettings.source),
  );
}

export const findModelSettings = preparedFind(modelSettings, "orgId", "modelId");
export const deleteModelSettings = preparedDelete(modelSettings, "orgId", "modelId");

type Key = Pick<ModelSettingsRow, "orgId" | "modelId">;
type Change = Partial<Omit<ModelSettingsRow, "orgId" | "modelId" | "createdAt" | "updatedAt">>;

export function saveModelSettings(db: Db, key: Key, change: Change, at: number): void {
  db.insert(modelSettings)
    .values({ ...key, ...change, createdAt: at, updatedAt: at })
    .onConflictDoUpdate({
      target: [modelSettings.orgId, modelSettings.modelId],
      set: { ...change, updatedAt: at },
    })
    .run();
}

export interface DiscoveredModel extends HubModel {
  hub: Hub;
  fallback: boolean;
  fetchedAt: number;
}

/** The hubs' last lists; entries of unknown shape are skipped. */
export function listDiscovered(db: Db, orgId: string): DiscoveredModel[] {
  const rows = db
    .select()
    .from(discoveredModels)
    .where(eq(discoveredModels.orgId, orgId))
    .orderBy(asc(discoveredModels.hub), asc(discoveredModels.position))
    .all();
  return rows.flatMap(({ hub, fallback, fetchedAt, facts }) => {
    const { data } = HubModel.safeParse(facts);
    return data ? [{ ...data, hub, fallback, fetchedAt }] : [];
  });
}

export function replaceDiscovered(
  tx: Db,
  orgId: string,
  list: { hub: Hub; models: readonly HubModel[]; fallback: boolean; fetchedAt: number },
): void {
  const { hub, models, fallback, fetchedAt } = list;
  tx.delete(discoveredModels)
    .where(and(eq(discoveredModels.orgId, orgId), eq(discoveredModels.hub, hub)))
    .run();
  for (const [position, model] of models.entries()) {
    const row = { orgId, hub, modelId: model.id, position, facts: { ...model }, fallback, fetchedAt };
    tx.insert(discoveredModels).values(row).run();
  }
}

export function listDiscoveringOrgs(tx: Db): string[] {
  return tx
    .selectDistinct({ orgId: discoveredModels.orgId })
    .from(discoveredModels)
    .all()
    .map(({ orgId }) => orgId);
}
