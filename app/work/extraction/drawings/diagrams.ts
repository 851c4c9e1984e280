import { oneLine } from "../document-builder";
import { readXml } from "../office";
import { oneLineFormulas } from "../office-math";
import { altTextOf } from "./alt-text";
import type { Drawing } from "./drawing";

interface Point {
  type: string;
  text: string;
  /** The prompt that an empty point shows. */
  prompt: string;
  isPrompt: boolean;
}

interface Model {
  points: Map<string, Point>;
  /** Children by their parent's id, with the id of the arrow that leads to each. */
  children: Map<string, { id: string; arrow: string; order: number }[]>;
}

const MAX_LEVEL = 8;

function readModel(part: Uint8Array): Model {
  const points: Model["points"] = new Map();
  const children: Model["children"] = new Map();
  let point: Point | undefined;
  let inText = false;
  readXml(
    part,
    oneLineFormulas({
      open(name, attributes) {
        if (name === "pt") {
          point = { type: attributes.type ?? "node", text: "", prompt: "", isPrompt: false };
          points.set(attributes.modelId ?? "", point);
        } else if (name === "cxn" && (attributes.type ?? "parOf") === "parOf") {
          const { srcId = "", destId = "", parTransId = "", srcOrd } = attributes;
          const siblings = children.get(srcId) ?? [];
          siblings.push({ id: destId, arrow: parTransId, order: Number(srcOrd) || 0 });
          children.set(srcId, siblings);
        }
        if (!point) return;
        if (name === "prSet") {
          point.prompt = attributes.phldrT ?? "";
          point.isPrompt = /^(?:1|true)$/.test(attributes.phldr ?? "");
        } else if (name === "cNvPr") point.text += ` ${altTextOf(attributes)}`;
        else if (name === "br") point.text += " ";
        else if (name === "t") inText = true;
      },
      text(text) {
        if (inText && point) point.text += text;
      },
      close(name) {
        if (name === "t") inText = false;
        else if (name === "p" && point) point.text += " ";
        else if (name === "pt") point = undefined;
      },
    }),
  );
  return { points, children };
}

function textOf({ type, text, prompt, isPrompt }: Point): string {
  const line = oneLine(text);
  const isEmpty = type === "pres" || (isPrompt && (line === oneLine(prompt) || /^\[.*\]$/.test(line)));
  return isEmpty ? "" : line;
}

/** Reads the data of a SmartArt diagram: its points in their order, each below the one that it belongs to. */
export function readDiagram(part: Uint8Array): Drawing {
  const { points, children } = readModel(part);
  const listed: Drawing["points"] = [];
  const seen = new Set<string>();
  const list = (id: string, level: number) => {
    const point = points.get(id);
    if (!point || seen.has(id)) return false;
    seen.add(id);
    const text = textOf(point);
    if (text) listed.push({ text, level: Math.min(Math.max(level, 0), MAX_LEVEL) });
    return true;
  };
  const visit = (root: string, rootLevel: number) => {
    const steps = [{ id: root, arrow: "", level: rootLevel }];
    for (let step = steps.pop(); step; step = steps.pop()) {
      const { id, level } = step;
      // An arrow's label is read before the point that it leads to.
      list(step.arrow, level);
      if (!list(id, level)) continue;
      const below = [...(children.get(id) ?? [])].sort((one, other) => other.order - one.order);
      for (const child of below) steps.push({ id: child.id, arrow: child.arrow, level: level + 1 });
    }
  };
  for (const [id, { type }] of points) if (type === "doc") visit(id, -1);
  for (const id of points.keys()) visit(id, 0);
  return { title: "", captions: [], tables: [], points: listed, isCut: false };
}
