import { choice, toggle } from "./field.schema";
import { defineGroup } from "./group.schema";

export const monitoring = defineGroup({
  id: "monitoring",
  label: "Monitoring",
  permission: "settings.manage",
  fields: {
    enableMetrics: toggle(true, {
      label: "Metrics",
      hint: "Serves /metrics to holders of a token",
      obeyedBy: null,
    }),
    enableTracing: toggle(false, {
      label: "Tracing",
      hint: "Sends traces to an OpenTelemetry collector",
      obeyedBy: null,
    }),
    logLevel: choice(["debug", "info", "warn", "error"], "info", {
      label: "Log level",
      hint: "The LOG_LEVEL variable takes precedence where it is set",
      obeyedBy: "core",
    }),
    errorReporting: toggle(true, {
      label: "Error reporting",
      hint: "Lists unexpected errors under System",
      obeyedBy: "errors",
    }),
    healthChecks: toggle(true, {
      label: "Health checks",
      hint: "Probes providers that nobody calls every five minutes",
      obeyedBy: "models",
    }),
  },
});
