import { now } from "~/core/clock.server";
import { transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { isCacheFresh } from "~/platform/settings/caches.service.server";
import { explainProviderError } from "./explain-provider-error.server";
import { findProviderRow, type ProviderRow, updateProviderRow } from "./models.repo.server";
import type { ListedModel } from "./models.schema";
import { callFor, hasRequiredKey } from "./provider-call.server";
import { requireType } from "./provider-config.server";
import { enabledProviders } from "./provider-models.server";
import { healthOf } from "./router/health.server";

/** Timeouts in ms, as a user waits for the form. */
const LIST_OPTIONS = { firstByteMs: 10_000, betweenBytesMs: 5_000, retries: 1 };

/**
 * Fetches a provider's models.
 *
 * @param probe checks the key with a request first, since some lists are public
 * @throws AppError with the reason
 */
export async function fetchModels(row: ProviderRow, { probe = false } = {}): Promise<ListedModel[]> {
  const type = requireType(row.type);
  const health = healthOf(row.id);
  const started = performance.now();
  try {
    const call = callFor(row, type, LIST_OPTIONS);
    if (probe) await type.probe?.(call);
    const models = await type.listModels(call);
    // Counts as a probe: a new provider isn't unknown.
    health.succeedProbe(Math.round(performance.now() - started));
    return models;
  } catch (error) {
    const explained = explainProviderError(error, { provider: row.displayName });
    health.failProbe(explained.message);
    throw explained;
  }
}

/**
 * Refreshes an organization's expired model lists. A failed list keeps the previous one.
 *
 * @param force also refreshes lists that are current
 */
export async function refreshProviderLists(orgId: string, { force }: { force: boolean }): Promise<void> {
  const due = enabledProviders(orgId).filter(
    ({ row, type }) =>
      hasRequiredKey(row, type) && (force || row.modelsAt === null || !isCacheFresh(orgId, row.modelsAt)),
  );
  await Promise.all(
    due.map(async ({ row }) => {
      try {
        const models = await fetchModels(row);
        transaction((tx) => {
          // It may have been removed during the request.
          if (findProviderRow(tx, orgId, row.id))
            updateProviderRow(tx, orgId, row.id, { models, modelsAt: now() });
        });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
      }
    }),
  );
}
