import { db } from "~/core/db.server";
import { ModelRouting, RoutingPolicy } from "../models.schema";
import { findRoutingSettings, listRoutingRows } from "./routing.repo.server";

/** Before an admin chooses another one. */
const DEFAULT_POLICY: RoutingPolicy = "priority";

/** How calls for a model are routed, by its id, where an admin said so. What can't be read any more is left out. */
export function readRoutings(orgId: string): Map<string, ModelRouting> {
  return new Map(
    listRoutingRows(db(), orgId).flatMap(({ modelId, routing }) => {
      const parsed = ModelRouting.safeParse(routing);
      return parsed.success ? [[modelId, parsed.data] as const] : [];
    }),
  );
}

/** The organisation's policy for models without one of their own. */
export function readDefaultPolicy(orgId: string): RoutingPolicy {
  const parsed = RoutingPolicy.safeParse(findRoutingSettings(db(), orgId)?.policy);
  return parsed.success ? parsed.data : DEFAULT_POLICY;
}
