import { onConfigChanged } from "~/core/config-cache.server";
import { env } from "~/core/env.server";
import { log } from "~/core/log.server";
import { installationOrgId, readSetting } from "~/platform/settings/settings.service.server";

const isEnabled = () => {
  const orgId = installationOrgId();
  return orgId !== undefined && readSetting(orgId, "monitoring.enableTracing");
};

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
        if (isEnabled() === (stop !== undefined)) return;
        const stopped = stop;
        stop = undefined;
        if (stopped) await stopped();
        else stop = await start();
      })
      .catch((error: unknown) => log.error("tracing could not be changed", { error }));
  };
  if (isEnabled()) apply();
  const unsubscribe = onConfigChanged(["settings:monitoring"], apply);
  return {
    applied: () => changing,
    async stop() {
      unsubscribe();
      await changing;
      await stop?.();
    },
  };
}
