import { scaleBand, scaleLinear, scalePoint } from "d3-scale";
import { arc, area, line, pie } from "d3-shape";
import { clip } from "~/core/well-formed";
import { COLORS, element, heading, INK, image, LINE, label, MUTED, widthOf } from "./svg";

export const CHART_TYPES = ["bar", "stacked bar", "line", "area", "pie"] as const;
type ChartType = (typeof CHART_TYPES)[number];

export interface ChartData {
  type: ChartType;
  title: string;
  labels: readonly string[];
  series: readonly { name: string; values: readonly (number | null)[] }[];
}

const WIDTH = 760;
const HEIGHT = 420;
const LEGEND_TOP = 56;
const TICKS = 5;
/** Of a pie; smaller slices are indistinguishable. */
export const MAX_SLICES = 12;

const colorOf = (index: number) => COLORS[index % COLORS.length] ?? COLORS[0];
const formatter = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2, notation: "compact" });
const format = (value: number) => formatter.format(value);

interface Frame {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** @returns its height too */
function legend(names: readonly string[]): { svg: string; height: number } {
  if (names.length === 0) return { svg: "", height: 0 };
  let x = 20;
  let y = LEGEND_TOP;
  const parts = names.map((name, index) => {
    const text = clip(name, 30);
    const width = widthOf(text) + 34;
    if (x + width > WIDTH - 20) {
      x = 20;
      y += 20;
    }
    const part =
      element("rect", { x, y: y - 9, width: 10, height: 10, rx: 2, fill: colorOf(index) }) +
      label(text, { x: x + 16, y });
    x += width;
    return part;
  });
  return { svg: parts.join(""), height: y - LEGEND_TOP + 20 };
}

const totalOf = (values: readonly (number | null)[]) =>
  values.reduce<number>((sum, value) => sum + (value ?? 0), 0);

/** Includes zero, so that bars don't exaggerate. */
function domainOf({ type, labels, series }: ChartData): [number, number] {
  const all =
    type === "stacked bar"
      ? labels.flatMap((_, at) => {
          const column = series.map(({ values }) => values[at] ?? 0);
          return [totalOf(column.filter((value) => value > 0)), totalOf(column.filter((value) => value < 0))];
        })
      : series.flatMap(({ values }) => values.filter((value) => value !== null));
  const lowest = Math.min(0, ...all);
  const highest = Math.max(0, ...all);
  return lowest === highest ? [0, 1] : [lowest, highest];
}

type Y = ReturnType<typeof scaleLinear<number, number>>;

function axes(labels: readonly string[], xOf: (at: number) => number, y: Y, frame: Frame): string {
  const { left, right, top, bottom } = frame;
  const grid = y.ticks(TICKS).map((tick) => {
    const at = y(tick);
    return (
      element("line", { x1: left, x2: right, y1: at, y2: at, stroke: LINE }) +
      label(format(tick), { x: left - 8, y: at + 4, "text-anchor": "end", fill: MUTED })
    );
  });
  // Drops overlapping labels evenly.
  const widest = Math.max(24, ...labels.map((text) => widthOf(text.slice(0, 16)) + 12));
  const every = Math.max(1, Math.ceil((labels.length * widest) / (right - left)));
  const axisLabels = labels.flatMap((text, at) =>
    at % every === 0
      ? [label(text, { x: xOf(at), y: bottom + 18, "text-anchor": "middle", fill: MUTED }, 16)]
      : [],
  );
  const base = element("line", { x1: left, x2: right, y1: y(0), y2: y(0), stroke: INK });
  return `${element("line", { x1: left, x2: left, y1: top, y2: bottom, stroke: LINE })}${grid.join("")}${base}${axisLabels.join("")}`;
}

function bars({ type, labels, series }: ChartData, y: Y, { left, right }: Frame) {
  const band = scaleBand<number>(labels.keys(), [left, right]).padding(0.25);
  const isStacked = type === "stacked bar";
  const width = band.bandwidth() / (isStacked ? 1 : series.length);
  const marks = labels.flatMap((_, at) => {
    let above = 0;
    let below = 0;
    return series.map(({ values }, index) => {
      const value = values[at] ?? 0;
      const from = isStacked ? (value < 0 ? below : above) : 0;
      if (value < 0) below += value;
      else above += value;
      const top = Math.min(y(from), y(from + value));
      const x = (band(at) ?? 0) + (isStacked ? 0 : index * width);
      return element("rect", {
        x,
        y: top,
        width: Math.max(1, width - 1),
        height: Math.abs(y(from + value) - y(from)),
        fill: colorOf(index),
      });
    });
  });
  return { marks: marks.join(""), xOf: (at: number) => (band(at) ?? 0) + band.bandwidth() / 2 };
}

function lines({ type, labels, series }: ChartData, y: Y, { left, right }: Frame) {
  const point = scalePoint<number>(labels.keys(), [left, right]).padding(0.5);
  const xOf = (at: number) => point(at) ?? left;
  const isDefined = (value: number | null) => value !== null;
  const path = line<number | null>()
    .defined(isDefined)
    .x((_, at) => xOf(at))
    .y((value) => y(value ?? 0));
  const surface = area<number | null>()
    .defined(isDefined)
    .x((_, at) => xOf(at))
    .y0(y(0))
    .y1((value) => y(value ?? 0));
  const marks = series.map(({ values }, index) => {
    const color = colorOf(index);
    const filled = element("path", { d: surface([...values]) ?? "", fill: color, "fill-opacity": 0.2 });
    // A value between gaps needs a dot.
    const dots = values.map((value, at) =>
      value === null ? "" : element("circle", { cx: xOf(at), cy: y(value), r: 3, fill: color }),
    );
    const stroke = element("path", {
      d: path([...values]) ?? "",
      fill: "none",
      stroke: color,
      "stroke-width": 2,
    });
    return (type === "area" ? filled : "") + stroke + (labels.length <= 60 ? dots.join("") : "");
  });
  return { marks: marks.join(""), xOf };
}

function drawPie({ title, labels, series }: ChartData): string {
  const values = series[0]?.values ?? [];
  const slices = labels.map((name, at) => ({ name, value: Math.max(0, values[at] ?? 0) }));
  const total = totalOf(slices.map(({ value }) => value));
  const names = slices.map(({ name, value }) =>
    total > 0 ? `${name} ${Math.round((value / total) * 1000) / 10}%` : name,
  );
  const key = legend(names);
  const radius = 150;
  const draw = arc<{ startAngle: number; endAngle: number }>().innerRadius(0).outerRadius(radius);
  const arcs = pie<number>().sort(null)(slices.map(({ value }) => value));
  const paths = arcs.map((slice, index) =>
    element("path", { d: draw(slice) ?? "", fill: colorOf(index), stroke: "#ffffff", "stroke-width": 2 }),
  );
  const middle = LEGEND_TOP + key.height + radius;
  const placed = element("g", { transform: `translate(${WIDTH / 2} ${middle})` }, paths.join(""));
  return image(WIDTH, middle + radius + 20, title, heading(title) + key.svg + placed);
}

export function drawChart(data: ChartData): string {
  if (data.type === "pie") return drawPie(data);
  const { title, labels, series } = data;
  const key = legend(series.length > 1 ? series.map(({ name }) => name) : []);
  const top = LEGEND_TOP + key.height;
  const frame = { left: 70, right: WIDTH - 20, top, bottom: top + HEIGHT - 110 };
  const y = scaleLinear(domainOf(data), [frame.bottom, frame.top]).nice(TICKS);
  const { marks, xOf } = data.type.endsWith("bar") ? bars(data, y, frame) : lines(data, y, frame);
  return image(
    WIDTH,
    frame.bottom + 40,
    title,
    heading(title) + key.svg + axes(labels, xOf, y, frame) + marks,
  );
}
