import { choice, toggle } from "~/core/field.schema";
import { defineGroup } from "./group.schema";

export const monitoring = defineGroup({
  id: "monitoring",
  label: "Monitoring",
  permission: "settings.manage",
  fields: {
    enableMetrics: toggle(true, {
      label: "Metrics",
      hint: "Serve /metrics to API tokens with the scope Read metrics",
      appliedBy: "monitoring",
    }),
    enableTracing: toggle(false, {
      label: "Tracing",
      hint: "Send traces to the OpenTelemetry collector that OTEL_EXPORTER_OTLP_ENDPOINT names",
      appliedBy: "monitoring",
    }),
    propagateTraces: toggle(true, {
      label: "Pass traces on",
      hint: "While tracing is on, send traceparent with calls to models, MCP servers and webhooks, and with HTTP requests of tools and workflows",
      appliedBy: "monitoring",
    }),
    logLevel: choice(["debug", "info", "warn", "error"], "info", {
      label: "Log level",
      hint: "Choose what to log; LOG_LEVEL overrides it",
      appliedBy: "core",
    }),
    errorReporting: toggle(true, {
      label: "Error reporting",
      hint: "List unexpected errors under System",
      appliedBy: "errors",
    }),
    healthChecks: toggle(true, {
      label: "Health checks",
      hint: "Check idle providers every five minutes",
      appliedBy: "models",
    }),
  },
});
