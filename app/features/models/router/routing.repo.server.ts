import { and, eq, isNotNull } from "drizzle-orm";
import type { Db } from "~/core/db.server";
import { modelSettings } from "~db/schema";

export function listRoutingRows(db: Db, orgId: string): { modelId: string; routing: unknown }[] {
  return db
    .select({ modelId: modelSettings.modelId, routing: modelSettings.routing })
    .from(modelSettings)
    .where(and(eq(modelSettings.orgId, orgId), isNotNull(modelSettings.routing)))
    .all();
}
