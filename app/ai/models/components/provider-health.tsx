import { StatusDot, type Tone } from "~/ui/badge";
import { RelativeTime } from "~/ui/time";
import type { ProviderStatus } from "../health.schema";

export const STATUS_VARIANTS: Record<ProviderStatus["status"], { tone: Tone; label: string }> = {
  online: { tone: "success", label: "Online" },
  warning: { tone: "warning", label: "Warning" },
  offline: { tone: "danger", label: "Offline" },
  unknown: { tone: "neutral", label: "Not checked yet" },
};

const percent = new Intl.NumberFormat("en-US", { style: "percent", maximumFractionDigits: 1 });

export function HealthLine({ health }: { health: ProviderStatus }) {
  const { tone, label } = STATUS_VARIANTS[health.status];
  const { latencyMs, probeMs, errorRate, usage } = health;
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1" data-figures>
      <span className="flex items-center gap-1.5 font-medium">
        <StatusDot tone={tone} />
        {label}
      </span>
      {latencyMs !== null ? (
        <span title="Time to first token">{Math.round(latencyMs)} ms</span>
      ) : (
        probeMs !== null && <span title="Duration of the last health check">{Math.round(probeMs)} ms</span>
      )}
      {errorRate !== null && (
        <span className={errorRate > 0 ? "text-warning-ink" : "text-muted"} title="Last 15 minutes">
          {percent.format(errorRate)} errors
        </span>
      )}
      {usage !== "—" && <span className="text-muted">{usage}</span>}
    </p>
  );
}

export function LastFailure({ failure }: { failure: NonNullable<ProviderStatus["lastFailure"]> }) {
  return (
    <>
      <RelativeTime at={failure.at} style="running" />
      <span className="text-muted"> · {failure.message}</span>
    </>
  );
}
