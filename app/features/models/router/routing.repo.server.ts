import { and, eq, isNotNull } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { modelSettings, orgSettings } from "~db/schema";

export function listRoutingRows(db: Db, orgId: string): { modelId: string; routing: unknown }[] {
  return db
    .select({ modelId: modelSettings.modelId, routing: modelSettings.routing })
    .from(modelSettings)
    .where(and(eq(modelSettings.orgId, orgId), isNotNull(modelSettings.routing)))
    .all();
}

/** The settings group `routing`: `{ policy }`. */
export function findRoutingSettings(db: Db, orgId: string): Record<string, unknown> | undefined {
  return db
    .select({ value: orgSettings.value })
    .from(orgSettings)
    .where(and(eq(orgSettings.orgId, orgId), eq(orgSettings.key, "routing")))
    .get()?.value;
}
