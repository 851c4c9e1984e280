import { db } from "~/core/db.server";
import { ModelRouting } from "../models.schema";
import { listRoutingRows } from "./routing.repo.server";

/** Admins' routing by model; unreadable rows are skipped. */
export function readRoutings(orgId: string): Map<string, ModelRouting> {
  return new Map(
    listRoutingRows(db(), orgId).flatMap(({ modelId, routing }) => {
      const parsed = ModelRouting.safeParse(routing);
      return parsed.success ? [[modelId, parsed.data] as const] : [];
    }),
  );
}
