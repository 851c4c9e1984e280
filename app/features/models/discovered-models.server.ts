import { type Db, db } from "~/core/db.server";
import { type Hub, HubModel } from "./catalogue.schema";
import { listDiscoveredRows, replaceDiscoveredRows } from "./discovery.repo.server";

export interface DiscoveredModel extends HubModel {
  hub: Hub;
  fallback: boolean;
  fetchedAt: number;
}

/** What the hubs listed when they were last asked; what an older program stored otherwise is left out. */
export function listDiscovered(orgId: string): DiscoveredModel[] {
  return listDiscoveredRows(db(), orgId).flatMap(({ hub, fallback, fetchedAt, facts }) => {
    const model = HubModel.safeParse(facts);
    return model.success ? [{ ...model.data, hub, fallback, fetchedAt }] : [];
  });
}

export function replaceDiscovered(
  tx: Db,
  orgId: string,
  list: { hub: Hub; models: readonly HubModel[]; fallback: boolean; fetchedAt: number },
): void {
  const { hub, models, fallback, fetchedAt } = list;
  const rows = models.map((facts, position) => ({
    orgId,
    hub,
    modelId: facts.id,
    position,
    facts: { ...facts },
    fallback,
    fetchedAt,
  }));
  replaceDiscoveredRows(tx, { orgId, hub }, rows);
}
