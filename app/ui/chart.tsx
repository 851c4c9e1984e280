import { Link } from "@remix-run/react";
import { ChevronRight } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import {
  CHART_WIDTH,
  type ChartLayout,
  type ChartPoint,
  type ChartUnit,
  type SeriesColor,
} from "./chart.shared";
import { cx } from "./class-names";
import { formatCost, formatCount, formatDuration } from "./format";
import { useHydrated } from "./hydration";
import { Cell, HeadCell, Table, TableRow } from "./table";

/** Labels up to this length, such as of days, fit five to a phone. */
const SHORT_LABEL = 8;

const COLORS = [
  "text-series-1",
  "text-series-2",
  "text-series-3",
  "text-series-4",
  "text-series-5",
  "text-series-6",
  "text-series-7",
  "text-series-8",
  "text-series-9",
  "text-series-10",
  "text-series-11",
  "text-series-12",
  "text-series-13",
  "text-series-14",
  "text-series-15",
  "text-series-16",
];

const MEANINGS: Record<Exclude<SeriesColor, number>, string> = {
  success: "text-success-ink",
  warning: "text-warning",
  danger: "text-danger-ink",
  info: "text-info-ink",
  neutral: "text-edge",
};

const colorOf = (color: SeriesColor | undefined) =>
  typeof color === "number" ? COLORS[color % COLORS.length] : MEANINGS[color ?? "neutral"];

const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

/** A dash if unknown. */
export function formatValue(unit: ChartUnit, value: number | null): string {
  if (value === null) return "—";
  if (unit === "cost") return formatCost(value);
  if (unit === "percent") return `${value}%`;
  return unit === "duration" ? formatDuration(value) : formatCount(value);
}

/** @param step between ticks: an amount has as many decimals as tell it from the next one */
export function formatTick(unit: ChartUnit, value: number, step = value): string {
  if (unit === "cost") {
    if (value >= 10_000_000) return `$${compact.format(value / 1_000_000)}`;
    const decimals = [2, 3, 4, 5, 6].find((count) => step % 10 ** (6 - count) === 0) ?? 6;
    return `$${(value / 1_000_000).toFixed(value === 0 ? 2 : decimals)}`;
  }
  if (unit === "percent") return `${value}%`;
  return unit === "duration" ? formatDuration(value) : compact.format(value);
}

const STEPS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, Home: -1000, End: 1000 };

interface ChartProps {
  chart: ChartLayout;
  name: string;
  /** What a point is, as the heading of the table's first column. */
  pointName?: string;
  /** Without its own table, where the page has a fuller one. */
  hasTable?: boolean;
}

/** Bars or lines with a tooltip, a legend and a table; a point and a series can lead to their records. */
export function Chart({ chart, name, pointName = "Day", hasTable = true }: ChartProps) {
  const { limit, points } = chart;
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
            aria-label={`${name}, ${points.length} values`}
            onKeyDown={move}
            onPointerLeave={() => setActiveIndex(undefined)}
            onBlur={() => setActiveIndex(undefined)}
            className="relative"
          >
            <Drawing chart={chart} />
            {points.map((point, at) => {
              const description = describe(chart, point);
              const target = {
                "data-point": true,
                "aria-label": description,
                title: hydrated ? undefined : description,
                tabIndex: hydrated && at !== current ? -1 : 0,
                onPointerEnter: () => setActiveIndex(at),
                onFocus: () => {
                  setCurrent(at);
                  setActiveIndex(at);
                },
                className:
                  "absolute inset-y-0 rounded-sm hover:bg-hover focus-visible:bg-hover focus-visible:outline-offset-[-2px]",
                style: { left: `${point.x}%`, width: `${point.width}%` },
              };
              return point.to === undefined ? (
                <span key={point.at} role="img" {...target} />
              ) : (
                <Link key={point.at} to={point.to} {...target} />
              );
            })}
            {detailed && <Details chart={chart} point={detailed} />}
          </div>
          <div aria-hidden="true" className="@container relative h-6 text-muted text-xs">
            {points
              .filter(({ hasTick }) => hasTick)
              .map(({ at, label, width, x }, index) => (
                <span
                  key={at}
                  className={cx(
                    "absolute top-1.5 -translate-x-1/2 whitespace-nowrap",
                    // Narrow plots have room for every second one.
                    index % 2 === 1 &&
                      (label.length > SHORT_LABEL ? "@max-[30rem]:hidden" : "@max-[15rem]:hidden"),
                  )}
                  style={{ left: `${Math.min(94, Math.max(3, x + width / 2))}%` }}
                >
                  {label}
                </span>
              ))}
          </div>
        </div>
      </div>
      <Legend chart={chart} />
      {limit && limit.y === null && (
        <p className="mt-2 pl-14 text-muted text-xs">{limit.label}, above this chart</p>
      )}
      {hasTable && <PointTable chart={chart} name={name} pointName={pointName} />}
    </figure>
  );
}

function partsOf({ series, unit }: ChartLayout, { values }: ChartPoint): string[] {
  return series.flatMap(({ name }, at) => {
    const value = values[at];
    return value ? [`${name} ${formatValue(unit, value)}`] : [];
  });
}

function describe(chart: ChartLayout, point: ChartPoint): string {
  const parts = partsOf(chart, point);
  const whole = `${point.label}: ${formatValue(chart.unit, point.total)}`;
  return parts.length > 1 ? `${whole} (${parts.join(", ")})` : whole;
}

function Axis({ chart: { ticks, unit } }: { chart: ChartLayout }) {
  const step = (ticks[1]?.value ?? 0) - (ticks[0]?.value ?? 0);
  return (
    <div aria-hidden="true" className="relative w-14 shrink-0 text-muted text-xs tabular-nums">
      {ticks.map(({ value, y }) => (
        <span key={value} className="absolute right-2 -translate-y-1/2 whitespace-nowrap" style={{ top: y }}>
          {formatTick(unit, value, step)}
        </span>
      ))}
    </div>
  );
}

function Frame({ height, children }: { height: number; children: ReactNode }) {
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${CHART_WIDTH} ${height}`}
      preserveAspectRatio="none"
      height={height}
      className="block w-full overflow-visible"
    >
      {children}
    </svg>
  );
}

function Across({ y, className }: { y: number; className: string }) {
  return (
    <line x1="0" x2={CHART_WIDTH} y1={y} y2={y} vectorEffect="non-scaling-stroke" className={className} />
  );
}

function Drawing({ chart: { dots, height, kind, limit, paths, series, ticks } }: { chart: ChartLayout }) {
  return (
    <Frame height={height}>
      {ticks.map(({ value, y }) => (
        <Across key={value} y={y} className="stroke-line" />
      ))}
      {paths.map((path, at) => (
        <path
          // biome-ignore lint/suspicious/noArrayIndexKey: a series has no other id.
          key={at}
          d={path}
          vectorEffect="non-scaling-stroke"
          strokeLinejoin="round"
          strokeWidth={kind === "bars" ? 1 : 2}
          className={cx(
            colorOf(series[at]?.color),
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
          className={cx(colorOf(series[at]?.color), "stroke-current")}
        />
      ))}
      {limit && limit.y !== null && (
        <Across y={limit.y} className="stroke-2 stroke-warning-ink [stroke-dasharray:6_4]" />
      )}
    </Frame>
  );
}

/** Tooltip; the point's accessible name has the same values. */
function Details({ chart: { kind, series, unit }, point }: { chart: ChartLayout; point: ChartPoint }) {
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
          series.map(({ color, name }, at) => {
            const value = point.values[at];
            return value ? (
              <Value key={name} color={color} name={name} text={formatValue(unit, value)} />
            ) : null;
          })}
        <dt className="text-muted">{kind === "lines" ? "Average" : "Total"}</dt>
        <dd className="text-right">{formatValue(unit, point.total)}</dd>
      </dl>
    </div>
  );
}

function Value({ color, name, text }: { color: SeriesColor; name: string; text: string }) {
  return (
    <>
      <dt className="flex min-w-0 items-center gap-1.5">
        <Swatch color={color} />
        <span className="truncate">{name}</span>
      </dt>
      <dd className="text-right">{text}</dd>
    </>
  );
}

const Swatch = ({ color }: { color: SeriesColor }) => (
  <svg aria-hidden="true" viewBox="0 0 8 8" className={cx("size-2 shrink-0", colorOf(color))}>
    <rect width="8" height="8" rx="2" className="fill-current" />
  </svg>
);

function Legend({ chart: { limit, series } }: { chart: ChartLayout }) {
  const isLimitDrawn = limit !== undefined && limit.y !== null;
  if (series.length < 2 && !isLimitDrawn) return null;
  return (
    <ul aria-label="Legend" className="mt-2 flex flex-wrap gap-x-4 gap-y-1 pl-14 text-muted text-xs">
      {series.map(({ color, name, to }) => (
        <li key={name} className="flex min-w-0 max-w-full items-center gap-1.5">
          <Swatch color={color} />
          {to === undefined ? (
            <span className="truncate">{name}</span>
          ) : (
            <Link
              to={to}
              className="min-h-6 content-center truncate underline-offset-4 hover:text-ink hover:underline pointer-coarse:min-h-11"
            >
              {name}
            </Link>
          )}
        </li>
      ))}
      {isLimitDrawn && (
        <li className="flex items-center gap-1.5">
          <svg aria-hidden="true" viewBox="0 0 16 2" className="h-0.5 w-4 text-warning-ink">
            <path d="M0 1h6M10 1h6" strokeWidth="2" className="stroke-current" />
          </svg>
          {limit.label}
        </li>
      )}
    </ul>
  );
}

interface PointTableProps {
  chart: ChartLayout;
  name: string;
  pointName: string;
}

/** The same values for those who prefer to read them; what is zero is left out. */
function PointTable({ chart, name, pointName }: PointTableProps) {
  const rows = chart.points.filter(({ total }) => total);
  if (rows.length === 0) return null;
  const isSplit = chart.series.length > 1;
  return (
    <TableDetails label="Show as table">
      <Table caption={name} dense>
        <thead>
          <tr>
            <HeadCell>{pointName}</HeadCell>
            <HeadCell align="right">{chart.kind === "lines" ? "Average" : "Total"}</HeadCell>
            {isSplit && <HeadCell>Parts</HeadCell>}
          </tr>
        </thead>
        <tbody>
          {rows.map((point) => (
            <TableRow key={point.at}>
              <Cell className="whitespace-nowrap">{point.label}</Cell>
              <Cell align="right" className="whitespace-nowrap tabular-nums">
                {formatValue(chart.unit, point.total)}
              </Cell>
              {isSplit && (
                <Cell className="min-w-40 text-muted text-xs">{partsOf(chart, point).join(", ")}</Cell>
              )}
            </TableRow>
          ))}
        </tbody>
      </Table>
    </TableDetails>
  );
}

export function TableDetails({ label, children }: { label: string; children: ReactNode }) {
  return (
    <details className="group mt-1">
      <summary className="flex min-h-8 w-fit cursor-pointer list-none items-center gap-1 rounded-md text-muted text-xs hover:text-ink pointer-coarse:min-h-11 [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden="true" className="size-4 transition-transform group-open:rotate-90" />
        {label}
      </summary>
      <div className="mt-2">{children}</div>
    </details>
  );
}

/** In percent of the height: the outline of a chart that has no data yet. */
const OUTLINE = [30, 45, 38, 60, 52, 70, 24, 40, 66, 58, 82, 74, 50, 64];

/** Stands where a chart will be, under its `Sample` badge. */
export function ChartOutline({ height }: { height: number }) {
  const step = CHART_WIDTH / OUTLINE.length;
  const bars = OUTLINE.map((share, at) => {
    const top = height * (1 - share / 100);
    return `M${(at + 0.15) * step} ${height}V${top}h${step * 0.7}V${height}Z`;
  });
  return (
    <Frame height={height}>
      {[0, 0.5, 1].map((share) => (
        <Across key={share} y={share * height} className="stroke-line" />
      ))}
      <path
        d={bars.join("")}
        vectorEffect="non-scaling-stroke"
        className="fill-none stroke-edge/50 [stroke-dasharray:3_3]"
      />
    </Frame>
  );
}
