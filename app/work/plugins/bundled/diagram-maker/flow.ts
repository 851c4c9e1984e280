import dagre from "@dagrejs/dagre";
import { clip } from "~/core/well-formed";
import { element, heading, INK, image, LINE, label, MUTED, widthOf } from "./svg";

export const SHAPES = ["box", "round", "diamond"] as const;

export interface FlowData {
  title: string;
  direction: "down" | "right";
  nodes: readonly { id: string; label: string; shape: (typeof SHAPES)[number] }[];
  edges: readonly { from: string; to: string; label: string }[];
}

interface Point {
  x: number;
  y: number;
}
interface Box extends Point {
  width: number;
  height: number;
}

const MARGIN = 20;
const HEADING = 50;
const LINE_HEIGHT = 16;
const MAX_LINE_LENGTH = 24;
const MAX_LINES = 4;

/** Wraps a node's text, with an ellipsis. */
export function wrap(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < MAX_LINE_LENGTH)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word.length > MAX_LINE_LENGTH ? `${clip(word, MAX_LINE_LENGTH - 1)}…` : word);
  }
  return lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES - 1), "…"] : lines;
}

function sizeOf(lines: readonly string[], shape: string): { width: number; height: number } {
  const width = Math.max(60, ...lines.map((text) => widthOf(text))) + 24;
  const height = Math.max(1, lines.length) * LINE_HEIGHT + 20;
  // A diamond's text is centered.
  return shape === "diamond" ? { width: width * 1.5, height: height * 1.8 } : { width, height };
}

function drawShape({ x, y, width, height }: Box, shape: string): string {
  const look = { fill: "#eff6ff", stroke: "#2563eb", "stroke-width": 1.5 };
  if (shape !== "diamond")
    return element("rect", {
      x: x - width / 2,
      y: y - height / 2,
      width,
      height,
      rx: shape === "round" ? height / 2 : 6,
      ...look,
    });
  const points = [
    [x, y - height / 2],
    [x + width / 2, y],
    [x, y + height / 2],
    [x - width / 2, y],
  ];
  return element("polygon", {
    points: points.map((point) => point.map((one) => Math.round(one)).join(",")).join(" "),
    ...look,
  });
}

function drawText(lines: readonly string[], { x, y }: Point): string {
  const first = y - ((lines.length - 1) * LINE_HEIGHT) / 2 + 4;
  return lines
    .map((text, index) => label(text, { x, y: first + index * LINE_HEIGHT, "text-anchor": "middle" }))
    .join("");
}

/** The layout ends arrows at the bounding box; a diamond's sides are further in. */
function atDiamond({ x, y, width, height }: Box, towards: Point): Point {
  const dx = towards.x - x;
  const dy = towards.y - y;
  const scale = Math.abs(dx) / (width / 2) + Math.abs(dy) / (height / 2);
  return scale === 0 ? { x, y } : { x: x + dx / scale, y: y + dy / scale };
}

function drawEdge(points: readonly Point[], text: string, at: Point): string {
  const path = points.map(({ x, y }, index) => `${index === 0 ? "M" : "L"}${Math.round(x)} ${Math.round(y)}`);
  const drawn = element("path", {
    d: path.join(""),
    fill: "none",
    stroke: MUTED,
    "stroke-width": 1.5,
    "marker-end": "url(#arrow)",
  });
  if (text === "") return drawn;
  const width = widthOf(text, 11) + 8;
  return (
    drawn +
    element("rect", {
      x: at.x - width / 2,
      y: at.y - 9,
      width,
      height: 18,
      fill: "#ffffff",
      stroke: LINE,
      rx: 4,
    }) +
    label(text, { x: at.x, y: at.y + 4, "text-anchor": "middle", "font-size": 11, fill: INK }, 30)
  );
}

const ARROW = element(
  "defs",
  {},
  element(
    "marker",
    {
      id: "arrow",
      viewBox: "0 0 10 10",
      refX: 9,
      refY: 5,
      markerWidth: 7,
      markerHeight: 7,
      orient: "auto",
    },
    element("path", { d: "M0 0L10 5L0 10z", fill: MUTED }),
  ),
);

/** A layered layout, as SVG. */
export function drawFlow({ title, direction, nodes, edges }: FlowData): string {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: direction === "down" ? "TB" : "LR", nodesep: 40, ranksep: 60 });
  const texts = new Map(nodes.map(({ id, label: text }) => [id, wrap(text)]));
  // Numbers in place of the ids: the library keeps nodes in plain objects, where `__proto__` is no key.
  const keys = new Map(nodes.map(({ id }, index) => [id, String(index)]));
  const keyOf = (id: string) => keys.get(id) ?? id;
  for (const { id, shape } of nodes) graph.setNode(keyOf(id), sizeOf(texts.get(id) ?? [], shape));
  for (const [index, { from, to, label: text }] of edges.entries())
    graph.setEdge(
      keyOf(from),
      keyOf(to),
      { width: text ? widthOf(text, 11) + 12 : 0, height: text ? 20 : 0, labelpos: "c" },
      String(index),
    );
  dagre.layout(graph);
  const boxes = nodes.map(({ id, shape }) => {
    const box = graph.node(keyOf(id)) as unknown as Box;
    return drawShape(box, shape) + drawText(texts.get(id) ?? [], box);
  });
  const diamonds = new Set(nodes.filter(({ shape }) => shape === "diamond").map(({ id }) => id));
  const endAt = (id: string, end: Point, next: Point | undefined): Point =>
    diamonds.has(id) && next ? atDiamond(graph.node(keyOf(id)) as unknown as Box, next) : end;
  const lines = edges.map(({ from, to, label: text }, index) => {
    const edge = graph.edge(keyOf(from), keyOf(to), String(index)) as unknown as Partial<Point> & {
      points: Point[];
    };
    const { points } = edge;
    const middle = points[Math.floor(points.length / 2)] ?? { x: 0, y: 0 };
    const path = points.map((point, at) => {
      if (at === 0) return endAt(from, point, points[1]);
      return at === points.length - 1 ? endAt(to, point, points[at - 1]) : point;
    });
    return drawEdge(path, text, { x: edge.x ?? middle.x, y: edge.y ?? middle.y });
  });
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const placed = element(
    "g",
    { transform: `translate(${MARGIN} ${HEADING})` },
    lines.join("") + boxes.join(""),
  );
  const wide = Math.max(width + 2 * MARGIN, widthOf(title.slice(0, 80), 16) + 2 * MARGIN);
  return image(wide, height + HEADING + MARGIN, title, ARROW + heading(title) + placed);
}
