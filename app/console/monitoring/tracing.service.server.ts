import { onConfigChanged } from "~/core/config-cache.server";
import { env } from "~/core/env.server";
import { log } from "~/core/log.server";
import { setTracing } from "~/core/trace-context.server";
import { installationOrgId, readSettings } from "~/platform/settings/settings.service.server";

function tracingSettings() {
  const orgId = installationOrgId();
  const { enableTracing, propagateTraces } =
    orgId === undefined
      ? { enableTracing: false, propagateTraces: false }
      : readSettings(orgId, "monitoring");
  return { isEnabled: enableTracing, propagates: propagateTraces };
}

async function start(): Promise<() => Promise<void>> {
  const { startTracer } = await import("./tracer.server");
  return startTracer({
    endpoint: env().OTEL_EXPORTER_OTLP_ENDPOINT,
    headers: env().OTEL_EXPORTER_OTLP_HEADERS ?? {},
    resource: { "service.name": env().OTEL_SERVICE_NAME },
  });
}

interface Tracing {
  applied(): Promise<void>;
  stop(): Promise<void>;
}

export function followTracing(): Tracing {
  let stop: (() => Promise<void>) | undefined;
  let changing: Promise<void> = Promise.resolve();
  const apply = () => {
    changing = changing
      .then(async () => {
        const { isEnabled, propagates } = tracingSettings();
        const stopped = isEnabled ? undefined : stop;
        if (isEnabled) stop ??= await start();
        else stop = undefined;
        setTracing(isEnabled ? { propagates } : undefined);
        await stopped?.();
      })
      .catch((error: unknown) => log.error("tracing could not be changed", { error }));
  };
  if (tracingSettings().isEnabled) apply();
  const unsubscribe = onConfigChanged(["settings:monitoring"], apply);
  return {
    applied: () => changing,
    async stop() {
      unsubscribe();
      await changing;
      setTracing(undefined);
      await stop?.();
    },
  };
}
