import { and, asc, eq, isNotNull } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { modelSettings } from "~db/schema";

export type ModelSettingsRow = typeof modelSettings.$inferSelect;

export function listModelSettings(db: Db, orgId: string): ModelSettingsRow[] {
  return db
    .select()
    .from(modelSettings)
    .where(eq(modelSettings.orgId, orgId))
    .orderBy(asc(modelSettings.createdAt), asc(modelSettings.modelId))
    .all();
}

export function findModelSettings(db: Db, orgId: string, modelId: string): ModelSettingsRow | undefined {
  return db
    .select()
    .from(modelSettings)
    .where(and(eq(modelSettings.orgId, orgId), eq(modelSettings.modelId, modelId)))
    .get();
}

/** Models added for a provider type, oldest first. */
export function listAddedModels(db: Db, orgId: string, providerType: string): ModelSettingsRow[] {
  return db
    .select()
    .from(modelSettings)
    .where(
      and(
        eq(modelSettings.orgId, orgId),
        eq(modelSettings.providerType, providerType),
        isNotNull(modelSettings.source),
      ),
    )
    .orderBy(asc(modelSettings.createdAt), asc(modelSettings.modelId))
    .all();
}

type Key = Pick<ModelSettingsRow, "orgId" | "modelId">;
type Change = Partial<Omit<ModelSettingsRow, "orgId" | "modelId" | "createdAt" | "updatedAt">>;

/** Upserts the given fields. */
export function saveModelSettings(db: Db, key: Key, change: Change, at: number): void {
  db.insert(modelSettings)
    .values({ ...key, ...change, createdAt: at, updatedAt: at })
    .onConflictDoUpdate({
      target: [modelSettings.orgId, modelSettings.modelId],
      set: { ...change, updatedAt: at },
    })
    .run();
}

export function deleteModelSettings(db: Db, { orgId, modelId }: Key): void {
  db.delete(modelSettings)
    .where(and(eq(modelSettings.orgId, orgId), eq(modelSettings.modelId, modelId)))
    .run();
}
