import type { Actor } from "~/core/actor";
import { onConfigChanged } from "~/core/config-cache.server";
import { AppError } from "~/core/errors";
import { authorise } from "~/platform/rights/authorization.server";
import { installationOrgId, readSetting } from "~/platform/settings/settings.service.server";
import { type Prometheus, startPrometheus } from "./prometheus.server";

let current: Promise<Prometheus> | undefined;

function stopCounting(): void {
  const stopped = current;
  current = undefined;
  void stopped?.then((prometheus) => prometheus.stop()).catch(() => undefined);
}

/**
 * Prometheus text format; counting begins with the first scrape.
 * @throws AppError `forbidden`; `not_found` if disabled
 */
export async function readMetrics(actor: Actor): Promise<{ contentType: string; text: string }> {
  authorise(actor, "metrics.read");
  if (!readSetting(actor.orgId, "monitoring.enableMetrics"))
    throw new AppError("not_found", "Metrics are off. Turn them on under Settings › Advanced › Monitoring.");
  current ??= startPrometheus();
  const { contentType, render } = await current;
  return { contentType, text: await render(actor.orgId) };
}

/** Stops counting when metrics are disabled. @returns a stop function */
export function followMetrics(): () => void {
  const unsubscribe = onConfigChanged(["settings:monitoring"], () => {
    const orgId = installationOrgId();
    if (orgId !== undefined && !readSetting(orgId, "monitoring.enableMetrics")) stopCounting();
  });
  return () => {
    unsubscribe();
    stopCounting();
  };
}
