import { StatusDot, type Tone } from "~/ui/badge";
import type { ProviderCard } from "../overview.schema";

const STATES: Record<ProviderCard["status"], { tone: Tone; label: string }> = {
  online: { tone: "success", label: "Online" },
  warning: { tone: "warning", label: "Warning" },
  offline: { tone: "danger", label: "Offline" },
  unknown: { tone: "neutral", label: "Not checked yet" },
};

const percent = new Intl.NumberFormat("en-US", { style: "percent", maximumFractionDigits: 0 });

/** Each provider with its state, measured latency and share of today's calls. */
export function ProviderGrid({ providers }: { providers: readonly ProviderCard[] }) {
  return (
    <ul aria-label="Providers" className="grid gap-2 sm:grid-cols-2 xl:grid-cols-3">
      {providers.map(({ id, name, models, status, latencyMs, share }) => (
        <li key={id} className="min-w-0 rounded-md border border-line p-3">
          <div className="flex items-center gap-2">
            <StatusDot tone={STATES[status].tone} />
            <span className="min-w-0 flex-1 truncate font-medium" title={name}>
              {name}
            </span>
            <span className="shrink-0 text-muted text-xs">{STATES[status].label}</span>
          </div>
          <dl className="mt-2 grid grid-cols-3 gap-2 text-xs tabular-nums">
            <Figure label="Models" value={models.replace(/ models?$/, "")} />
            <Figure label="Latency" value={latencyMs === null ? "—" : `${Math.round(latencyMs)} ms`} />
            <Figure label="Usage" value={share === null ? "—" : percent.format(share)} />
          </dl>
        </li>
      ))}
    </ul>
  );
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div className="min-w-0">
      <dt className="text-muted">{label}</dt>
      <dd className="truncate">{value}</dd>
    </div>
  );
}
