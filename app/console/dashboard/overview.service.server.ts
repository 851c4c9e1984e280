import { listProviderStatus } from "~/ai/models/health.service.server";
import { listModels, topBarModel } from "~/ai/models/models.service.server";
import type { Actor } from "~/core/actor";
import { log } from "~/core/log.server";
import { authorise } from "~/platform/rights/authorization.server";
import {
  hasUsage,
  readProviderToday,
  readToday,
  readYesterdayUntilNow,
} from "~/team/usage/usage.service.server";
import {
  collectionStats,
  hasAnyDocument,
  listNewestDocuments,
} from "~/work/documents/documents.service.server";
import { countRuns, listActiveRuns } from "~/work/workflows/runs.service.server";
import { listWorkflowNames } from "~/work/workflows/workflows.service.server";
import type { CurrentModel, DashboardStats, Overview, ProviderCard } from "./overview.schema";

const SHOWN = 4;

/** Relative change; null without an earlier figure. */
const changeFrom = (before: number, value: number) => (before > 0 ? (value - before) / before : null);

function readProviders(actor: Actor): ProviderCard[] {
  const providers = listProviderStatus(actor).map((provider) => ({
    ...provider,
    callsToday: readProviderToday(actor, provider.id)?.calls ?? 0,
  }));
  const calls = providers.reduce((sum, { callsToday }) => sum + callsToday, 0);
  return providers.map(({ id, name, models, status, reason, latencyMs, probeMs, enabled, callsToday }) => ({
    id,
    name,
    models,
    status,
    reason,
    latencyMs: latencyMs ?? probeMs,
    share: calls > 0 ? callsToday / calls : null,
    isDisabled: !enabled,
  }));
}

function readCurrentModel(actor: Actor): CurrentModel {
  const models = listModels(actor);
  const id = topBarModel(actor, models);
  const model = models.find((one) => one.id === id);
  const status = model?.providerId
    ? (listProviderStatus(actor).find((provider) => provider.id === model.providerId)?.status ?? "unknown")
    : "built-in";
  return { id, name: model?.name ?? id, status };
}

async function readUsage(actor: Actor) {
  const today = readToday(actor);
  const yesterday = await readYesterdayUntilNow(actor);
  return {
    hasData: hasUsage(actor),
    tokens: today.tokens,
    spend: today.costMicros / 1_000_000,
    unpriced: today.unpriced,
    change: {
      tokens: changeFrom(yesterday.tokens, today.tokens),
      spend: changeFrom(yesterday.costMicros, today.costMicros),
    },
  };
}

/** Isolates a failing part of the dashboard. */
export async function readPart<T>(part: string, read: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    log.error("a part of the dashboard could not be read", { error, reason: part });
    return undefined;
  }
}

export async function readOverview(actor: Actor): Promise<Overview> {
  authorise(actor, "screens.read");
  return {
    usage: await readPart("usage", () => readUsage(actor)),
    model: await readPart("model", () => readCurrentModel(actor)),
    providers: await readPart("providers", () => {
      const cards = readProviders(actor);
      return { cards, online: cards.filter(({ status }) => status === "online").length };
    }),
    documents: await readPart("documents", async () => ({
      hasData: hasAnyDocument(actor),
      total: (await collectionStats(actor)).total,
      newest: listNewestDocuments(actor, SHOWN),
    })),
    workflows: await readPart("workflows", () => ({
      hasData: listWorkflowNames(actor).length > 0,
      ...countRuns(actor),
      runs: listActiveRuns(actor, SHOWN),
    })),
  };
}

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
