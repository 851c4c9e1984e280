import type { DocumentBuilder } from "../document-builder";
import { altTextOf } from "../drawings/alt-text";
import type { Drawing } from "../drawings/drawing";
import { readDrawing } from "../drawings/read-drawing";
import { imageLine } from "../labels";
import { type Parts, readXml } from "../office";
import { oneAlternative } from "../office-alternatives";
import { oneLineFormulas } from "../office-math";
import { relationOf } from "../office-relationships";

interface Shape {
  /** Relationship of a chart or diagram. */
  relation: string;
  isImage: boolean;
  alt: string;
  paragraphs: string[];
}

/** Reads the text boxes, images, charts and diagrams that lie upon a sheet. */
function readShapes(part: Uint8Array): Shape[] {
  const shapes: Shape[] = [];
  let shape: Shape | undefined;
  let paragraph: string | undefined;
  let inText = false;
  readXml(
    part,
    oneAlternative(
      oneLineFormulas({
        open(name, attributes) {
          if (name === "sp" || name === "pic" || name === "graphicFrame" || name === "cxnSp") {
            shape = { relation: "", isImage: name === "pic", alt: "", paragraphs: [] };
            shapes.push(shape);
          } else if (name === "cNvPr" && shape) shape.alt = altTextOf(attributes);
          else if (name === "chart" && shape) shape.relation = relationOf(attributes);
          else if (name === "relIds" && shape) shape.relation = relationOf(attributes, "dm");
          else if (name === "p") paragraph = "";
          else if (name === "br" && paragraph !== undefined) paragraph += "\n";
          inText = name === "t";
        },
        text(text) {
          if (inText && paragraph !== undefined) paragraph += text;
        },
        close(name) {
          inText = false;
          if (name !== "p" || paragraph === undefined) return;
          if (paragraph.trim()) shape?.paragraphs.push(paragraph);
          paragraph = undefined;
        },
      }),
    ),
  );
  return shapes;
}

const EMPTY: Drawing = { title: "", captions: [], tables: [], points: [], isCut: false };
const hasText = ({ title, captions, points }: Drawing) => title !== "" || captions.length + points.length > 0;

/** Leaves a chart's values to the cells that they are made from. */
function withoutValues({ tables, captions, ...chart }: Drawing): Drawing {
  const names = tables.flatMap(({ header, rows }) => (header ? (rows[0] ?? []) : []));
  return { ...chart, captions: [...captions, ...names.filter(Boolean)], tables: [], isCut: false };
}

/** Reads the texts of a sheet's drawing, and counts the images without one. */
export async function readSheetDrawing(
  builder: DocumentBuilder,
  parts: Parts,
  drawing: string,
): Promise<Drawing[]> {
  const part = parts.get(drawing);
  const drawings: Drawing[] = [];
  const seen = new Set([""]);
  for (const { relation, isImage, alt, paragraphs } of part ? readShapes(part) : []) {
    if (alt) paragraphs.push(imageLine(alt));
    else if (isImage) builder.leaveOut("image", "images");
    drawings.push({ ...EMPTY, captions: paragraphs });
    // A chart that is shown again is a forged one.
    const content = seen.has(relation) ? undefined : await readDrawing(parts, drawing, relation);
    seen.add(relation);
    if (content) drawings.push(withoutValues(content));
  }
  return drawings.filter(hasText);
}
