import { db } from "~/core/db.server";
import { ModelRouting } from "../models.schema";
import { listRoutingRows } from "./routing.repo.server";

/** How calls for a model are routed, by its id, where an admin said so. What can't be read any more is left out. */
export function readRoutings(orgId: string): Map<string, ModelRouting> {
  return new Map(
    listRoutingRows(db(), orgId).flatMap(({ modelId, routing }) => {
      const parsed = ModelRouting.safeParse(routing);
      return parsed.success ? [[modelId, parsed.data] as const] : [];
    }),
  );
}
