import type { Actor } from "~/core/actor";
import { hasAnyDocument, listNewestDocuments } from "~/features/knowledge/documents.service.server";
import { listProviderStatus } from "~/features/models/health.service.server";
import { listModels, topBarModel } from "~/features/models/models.service.server";
import { hasUsage, readProviderToday, readYesterdayUntilNow } from "~/features/usage/usage.service.server";
import { listActiveRuns } from "~/features/workflows/runs.service.server";
import { listWorkflowNames } from "~/features/workflows/workflows.service.server";
import type { CurrentModel, Overview } from "./overview.schema";
import { dashboardStats } from "./stats.service.server";

/** Entries of a card. */
const SHOWN = 5;

/** The change from an earlier figure as a share; null without an earlier one. */
const changeFrom = (before: number, value: number) => (before > 0 ? (value - before) / before : null);

function readProviders(actor: Actor): Overview["providers"] {
  const providers = listProviderStatus(actor).map((provider) => ({
    ...provider,
    callsToday: readProviderToday(actor, provider.id)?.calls ?? 0,
  }));
  const calls = providers.reduce((sum, { callsToday }) => sum + callsToday, 0);
  return providers.map(({ id, name, models, status, latencyMs, probeMs, callsToday }) => ({
    id,
    name,
    models,
    status,
    latencyMs: latencyMs ?? probeMs,
    share: calls > 0 ? callsToday / calls : null,
  }));
}

function readCurrentModel(actor: Actor, providers: Overview["providers"]): CurrentModel {
  const models = listModels(actor);
  const id = topBarModel(actor, models);
  const model = models.find((one) => one.id === id);
  const status = model?.providerId
    ? (providers.find((provider) => provider.id === model.providerId)?.status ?? "unknown")
    : "built-in";
  return { id, name: model?.name ?? id, status };
}

/** What the dashboard shows, beside its chat and the trail. */
export async function readOverview(actor: Actor): Promise<Overview> {
  const stats = await dashboardStats(actor);
  const yesterday = await readYesterdayUntilNow(actor);
  const providers = readProviders(actor);
  return {
    stats,
    change: {
      tokens: changeFrom(yesterday.tokens, stats.tokensToday),
      spend: changeFrom(yesterday.costMicros / 1_000_000, stats.spendToday),
    },
    model: readCurrentModel(actor, providers),
    providers,
    documents: listNewestDocuments(actor, SHOWN),
    runs: listActiveRuns(actor, SHOWN),
    has: {
      usage: hasUsage(actor),
      documents: hasAnyDocument(actor),
      workflows: listWorkflowNames(actor).length > 0,
      providers: providers.length > 0,
    },
  };
}
