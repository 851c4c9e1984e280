import { type KeyboardEvent, useRef, useState } from "react";
import { cx } from "~/ui/class-names";
import { useHydrated } from "~/ui/hydration";
import { CHART_HEIGHT, CHART_WIDTH, type UsageChart as Chart, type ChartPoint } from "../usage.shared";
import { formatMetric, formatTick, METRIC_LABELS } from "./usage-format";

const COLORS = [
  "text-primary-ink",
  "text-secondary-ink",
  "text-success-ink",
  "text-warning-ink",
  "text-danger-ink",
];
const colorOf = (at: number) => COLORS[at] ?? "text-muted";

const STEPS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, Home: -1000, End: 1000 };

export function UsageChart({ chart, name }: { chart: Chart; name: string }) {
  const { metric, points } = chart;
  const [current, setCurrent] = useState(points.length - 1);
  const [activeIndex, setActiveIndex] = useState<number>();
  const hydrated = useHydrated();
  const plot = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    if (event.key === "Escape") setActiveIndex(undefined);
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.min(points.length - 1, Math.max(0, current + step));
    setCurrent(next);
    plot.current?.querySelectorAll<HTMLElement>("[data-point]")[next]?.focus();
  };
  const detailed = activeIndex === undefined ? undefined : points[activeIndex];
  return (
    <figure aria-label={name}>
      <div className="flex">
        <Axis chart={chart} />
        <div className="relative min-w-0 flex-1">
          {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs. */}
          <div
            ref={plot}
            role="group"
            aria-label={`${METRIC_LABELS[metric]}, ${points.length} values`}
            onKeyDown={move}
            onPointerLeave={() => setActiveIndex(undefined)}
            onBlur={() => setActiveIndex(undefined)}
            className="relative"
          >
            <Drawing chart={chart} />
            {points.map((point, at) => (
              <span
                key={point.at}
                data-point
                role="img"
                aria-label={describe(chart, point)}
                title={hydrated ? undefined : describe(chart, point)}
                tabIndex={hydrated && at !== current ? -1 : 0}
                onPointerEnter={() => setActiveIndex(at)}
                onFocus={() => {
                  setCurrent(at);
                  setActiveIndex(at);
                }}
                className="absolute inset-y-0 rounded-sm hover:bg-hover focus-visible:bg-hover focus-visible:outline-offset-[-2px]"
                style={{ left: `${point.x}%`, width: `${point.width}%` }}
              />
            ))}
            {detailed && <Details chart={chart} point={detailed} />}
          </div>
          <div aria-hidden="true" className="relative h-6 text-muted text-xs">
            {points.map(
              ({ at, hasTick, label, width, x }) =>
                hasTick && (
                  <span
                    key={at}
                    className="absolute top-1.5 -translate-x-1/2 whitespace-nowrap"
                    style={{ left: `${Math.min(97, Math.max(1, x + width / 2))}%` }}
                  >
                    {label}
                  </span>
                ),
            )}
          </div>
        </div>
      </div>
      <Legend series={chart.series} />
    </figure>
  );
}

function describe({ metric, series }: Chart, { label, total, values }: ChartPoint): string {
  const parts = series.flatMap((name, at) => {
    const value = values[at];
    return value ? `${name} ${formatMetric(metric, value)}` : [];
  });
  const whole = `${label}: ${formatMetric(metric, total)}`;
  return parts.length > 1 ? `${whole} (${parts.join(", ")})` : whole;
}

function Axis({ chart: { metric, ticks } }: { chart: Chart }) {
  return (
    <div aria-hidden="true" className="relative w-14 shrink-0 text-muted text-xs tabular-nums">
      {ticks.map(({ value, y }) => (
        <span key={value} className="absolute right-2 -translate-y-1/2 whitespace-nowrap" style={{ top: y }}>
          {formatTick(metric, value)}
        </span>
      ))}
    </div>
  );
}

function Drawing({ chart: { dots, kind, paths, ticks } }: { chart: Chart }) {
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${CHART_WIDTH} ${CHART_HEIGHT}`}
      preserveAspectRatio="none"
      height={CHART_HEIGHT}
      className="block w-full overflow-visible"
    >
      {ticks.map(({ value, y }) => (
        <line
          key={value}
          x1="0"
          x2={CHART_WIDTH}
          y1={y}
          y2={y}
          vectorEffect="non-scaling-stroke"
          className="stroke-line"
        />
      ))}
      {paths.map((path, at) => (
        <path
          // biome-ignore lint/suspicious/noArrayIndexKey: a series has no other id, and its position is its color.
          key={at}
          d={path}
          vectorEffect="non-scaling-stroke"
          strokeLinejoin="round"
          strokeWidth={kind === "bars" ? 1 : 2}
          className={cx(
            colorOf(at),
            kind === "bars" ? "fill-current stroke-surface" : "fill-none stroke-current",
          )}
        />
      ))}
      {dots.map((path, at) => (
        <path
          // biome-ignore lint/suspicious/noArrayIndexKey: as above
          key={at}
          d={path}
          vectorEffect="non-scaling-stroke"
          strokeLinecap="round"
          strokeWidth={6}
          className={cx(colorOf(at), "stroke-current")}
        />
      ))}
    </svg>
  );
}

/** Tooltip; the point's accessible name has the same values. */
function Details({ chart: { metric, series }, point }: { chart: Chart; point: ChartPoint }) {
  const middle = point.x + point.width / 2;
  return (
    <div
      aria-hidden="true"
      className="pointer-events-none absolute top-0 z-10 w-max max-w-64 rounded-md border border-line bg-raised px-3 py-2 text-xs shadow-card"
      style={middle > 50 ? { right: `${100 - point.x + 1}%` } : { left: `${point.x + point.width + 1}%` }}
    >
      <p className="font-medium">{point.label}</p>
      <dl className="mt-1 grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-0.5 tabular-nums">
        {series.length > 1 &&
          series.map((name, at) => {
            const value = point.values[at];
            return value ? <Value key={name} at={at} name={name} text={formatMetric(metric, value)} /> : null;
          })}
        <dt className="text-muted">{metric === "first-token" ? "Average" : "Total"}</dt>
        <dd className="text-right">{formatMetric(metric, point.total)}</dd>
      </dl>
    </div>
  );
}

function Value({ at, name, text }: { at: number; name: string; text: string }) {
  return (
    <>
      <dt className="flex min-w-0 items-center gap-1.5">
        <Swatch at={at} />
        <span className="truncate">{name}</span>
      </dt>
      <dd className="text-right">{text}</dd>
    </>
  );
}

const Swatch = ({ at }: { at: number }) => (
  <svg aria-hidden="true" viewBox="0 0 8 8" className={cx("size-2 shrink-0", colorOf(at))}>
    <rect width="8" height="8" rx="2" className="fill-current" />
  </svg>
);

function Legend({ series }: { series: readonly string[] }) {
  if (series.length < 2) return null;
  return (
    <ul aria-label="Legend" className="mt-2 flex flex-wrap gap-x-4 gap-y-1 pl-14 text-muted text-xs">
      {series.map((name, at) => (
        <li key={name} className="flex min-w-0 max-w-full items-center gap-1.5">
          <Swatch at={at} />
          <span className="truncate">{name}</span>
        </li>
      ))}
    </ul>
  );
}
