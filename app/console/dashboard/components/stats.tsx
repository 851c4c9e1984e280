import { Link } from "@remix-run/react";
import { CircleDollarSign, Cpu, Hash, Workflow } from "lucide-react";
import type { ReactNode } from "react";
import { Sample, StatusDot, type Tone } from "~/ui/badge";
import { cx } from "~/ui/class-names";
import { countOf, formatCount, formatSpend, formatTokens } from "~/ui/format";
import type { CurrentModel, Overview, ProviderCard } from "../overview.schema";

interface StatCardProps {
  icon: ReactNode;
  label: string;
  value: string;
  note: ReactNode;
  isSample?: boolean;
  to: string;
}

function StatCard({ icon, label, value, note, isSample = false, to }: StatCardProps) {
  return (
    <Link
      to={to}
      className="flex min-w-0 items-start gap-3 rounded-lg border border-line bg-surface p-3 shadow-card transition-colors hover:border-edge sm:p-4"
    >
      <span className="grid size-9 shrink-0 place-items-center rounded-md bg-primary-soft text-primary-ink max-sm:hidden lg:max-xl:hidden [&_svg]:size-4.5">
        {icon}
      </span>
      <span className="min-w-0 flex-1">
        <span className="flex flex-wrap items-center gap-x-2">
          <span className="text-muted text-xs">{label}</span>
          {isSample && <Sample />}
        </span>
        <span
          className={
            isSample
              ? "my-0.5 block w-fit rounded-sm border border-edge/50 border-dashed px-1.5 py-0.5 text-muted text-xs"
              : "wrap-anywhere line-clamp-2 font-semibold text-ink text-lg"
          }
          title={value}
        >
          {value}
        </span>
        <span className="block text-muted text-xs">{note}</span>
      </span>
    </Link>
  );
}

const percent = new Intl.NumberFormat("en-US", { style: "percent", maximumFractionDigits: 0 });
const difference = new Intl.NumberFormat("en-US", {
  style: "percent",
  maximumFractionDigits: 0,
  signDisplay: "exceptZero",
});

/** Change since yesterday at this time; a dash without a figure. */
const changeText = (change: number | null) =>
  change === null ? "— vs yesterday" : `${difference.format(change)} vs yesterday`;

const STATES: Record<CurrentModel["status"], { tone: Tone; label: string }> = {
  online: { tone: "success", label: "Online" },
  warning: { tone: "warning", label: "Warning" },
  offline: { tone: "danger", label: "Offline" },
  unknown: { tone: "neutral", label: "Not checked yet" },
  "built-in": { tone: "success", label: "Built-in" },
};

/** Figures shown until there are real ones (console.md, section 9). */
const SAMPLE = { tokens: 127_400, spend: 23.47, queued: 3 };

/** Replaces a figure that failed to load. */
const NONE = "—";
const LOAD_FAILED = "Couldn't be loaded";

/** A sum that lacks calls says so before it is compared. */
const spendNote = ({ unpriced, change }: NonNullable<Overview["usage"]>) =>
  unpriced > 0 ? `${countOf(unpriced, "call")} without a price` : changeText(change.spend);

function progressText(workflows: Overview["workflows"]): string {
  if (!workflows) return LOAD_FAILED;
  if (!workflows.hasData) return "— running";
  const { running, waiting } = workflows;
  return `${formatCount(running)} running${waiting > 0 ? ` · ${formatCount(waiting)} waiting` : ""}`;
}

export function Stats({ overview }: { overview: Overview }) {
  const { model, usage, workflows } = overview;
  return (
    <div className="grid grid-cols-2 gap-2 sm:gap-4 lg:grid-cols-4">
      <StatCard
        icon={<Cpu />}
        label="Current Model"
        value={model?.name ?? NONE}
        note={model ? STATES[model.status].label : LOAD_FAILED}
        to="/chat"
      />
      <StatCard
        icon={<Hash />}
        label="Tokens Today"
        value={usage ? formatTokens(usage.hasData ? usage.tokens : SAMPLE.tokens) : NONE}
        note={usage ? changeText(usage.change.tokens) : LOAD_FAILED}
        isSample={usage?.hasData === false}
        to="/usage?range=24h"
      />
      <StatCard
        icon={<CircleDollarSign />}
        label="Spend Today"
        value={usage ? formatSpend(usage.hasData ? usage.spend : SAMPLE.spend) : NONE}
        note={usage ? spendNote(usage) : LOAD_FAILED}
        isSample={usage?.hasData === false}
        to="/usage?range=24h&metric=spend"
      />
      <StatCard
        icon={<Workflow />}
        label="Workflows"
        value={
          workflows ? `${formatCount(workflows.hasData ? workflows.queued : SAMPLE.queued)} queued` : NONE
        }
        note={progressText(workflows)}
        isSample={workflows?.hasData === false}
        to="/workflows/runs"
      />
    </div>
  );
}

const MAX_PROVIDERS = 5;
const ORDER: CurrentModel["status"][] = ["offline", "warning", "unknown", "online", "built-in"];
const DISABLED = { tone: "neutral", label: "Disabled" } as const;
const placeOf = ({ status, isDisabled }: ProviderCard) => (isDisabled ? ORDER.length : ORDER.indexOf(status));

/** Each provider with its state, what keeps it off, measured latency and share of today's calls; troubles first, and what is turned off last. */
export function ProviderList({ providers }: { providers: readonly ProviderCard[] }) {
  const sorted = [...providers]
    .sort((a, b) => placeOf(a) - placeOf(b))
    .map((one) => ({ ...one, ...(one.isDisabled ? { ...DISABLED, reason: null } : STATES[one.status]) }));
  const more = sorted.length - MAX_PROVIDERS;
  return (
    <>
      <ul aria-label="Providers" className="-my-2 divide-y divide-line">
        {sorted
          .slice(0, MAX_PROVIDERS)
          .map(({ id, name, models, status, tone, label, reason, latencyMs, share }) => (
            <li key={id} className="min-w-0 py-2">
              <div className="flex items-center gap-2">
                <StatusDot tone={tone} />
                <span className="min-w-0 flex-1 truncate font-medium" title={name}>
                  {name}
                </span>
                <span className="shrink-0 text-muted text-xs">{label}</span>
              </div>
              {reason && (
                <p
                  className={cx(
                    "wrap-anywhere mt-0.5 line-clamp-2 text-xs",
                    status === "offline" ? "text-danger-ink" : "text-warning-ink",
                  )}
                  title={reason}
                >
                  {reason}
                </p>
              )}
              <dl className="mt-0.5 flex flex-wrap gap-x-3 text-xs tabular-nums">
                <Figure label="Models" value={models.replace(/ models?$/, "")} />
                <Figure label="Latency" value={latencyMs === null ? "—" : `${Math.round(latencyMs)} ms`} />
                <Figure label="Usage" value={share === null ? "—" : percent.format(share)} />
              </dl>
            </li>
          ))}
      </ul>
      {more > 0 && <p className="mt-3 text-muted text-xs">{formatCount(more)} more</p>}
    </>
  );
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div className="flex gap-1">
      <dt className="text-muted">{label}</dt>
      <dd>{value}</dd>
    </div>
  );
}
