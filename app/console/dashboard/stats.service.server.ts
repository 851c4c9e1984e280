import { listProviderStatus } from "~/ai/models/health.service.server";
import type { Actor } from "~/core/actor";
import { authorise } from "~/platform/rights/authorization.server";
import { readToday } from "~/team/usage/usage.service.server";
import { collectionStats } from "~/work/documents/documents.service.server";
import { countRuns } from "~/work/workflows/runs.service.server";
import type { DashboardStats } from "./overview.schema";

export async function dashboardStats(actor: Actor): Promise<DashboardStats> {
  authorise(actor, "screens.read");
  const { tokens, costMicros } = readToday(actor);
  const { queued, running, waiting } = countRuns(actor);
  return {
    tokensToday: tokens,
    spendToday: costMicros / 1_000_000,
    workflowsQueued: queued,
    workflowsRunning: running,
    workflowsWaiting: waiting,
    ragDocuments: (await collectionStats(actor)).total,
    providersOnline: listProviderStatus(actor).filter(({ status }) => status === "online").length,
  };
}
