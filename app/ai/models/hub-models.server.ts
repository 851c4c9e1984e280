import { type Db, db } from "~/core/db.server";
import { type Hub, HubModel } from "./catalogue.schema";
import { listDiscoveredRows, replaceDiscoveredRows } from "./discovery.repo.server";

export interface DiscoveredModel extends HubModel {
  hub: Hub;
  fallback: boolean;
  fetchedAt: number;
}

/** The hubs' last lists; entries of unknown shape are skipped. */
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
