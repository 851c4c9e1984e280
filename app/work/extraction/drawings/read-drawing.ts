import { oneLine } from "../document-builder";
import { type Parts, readXml } from "../office";
import { readRelationships } from "../office-relationships";
import { readChart } from "./charts";
import { readDiagram } from "./diagrams";
import type { Drawing } from "./drawing";

/** Reads the paragraphs of the text boxes that lie upon a chart. */
function readTextBoxes(part: Uint8Array): string[] {
  const paragraphs: string[] = [];
  let [text, inText] = ["", false];
  readXml(part, {
    open(name) {
      inText = name === "t";
      if (name === "br") text += " ";
    },
    text(piece) {
      if (inText) text += piece;
    },
    close(name) {
      inText = false;
      if (name !== "p") return;
      if (text.trim()) paragraphs.push(oneLine(text));
      text = "";
    },
  });
  return paragraphs;
}

/**
 * Reads the chart or diagram that a slide, sheet or document shows.
 * @param owner the part that shows it
 * @param id of the owner's relationship: `r:id` of a chart, `r:dm` of a diagram
 * @returns undefined for anything else
 */
export async function readDrawing(parts: Parts, owner: string, id: string): Promise<Drawing | undefined> {
  const relationship = readRelationships(parts, owner).find((item) => item.id === id);
  const bytes = relationship && parts.get(relationship.target);
  if (!bytes) return undefined;
  if (relationship.type === "diagramData") return readDiagram(bytes);
  if (relationship.type !== "chart" && relationship.type !== "chartEx") return undefined;
  const chart = await readChart(bytes);
  for (const { type, target } of readRelationships(parts, relationship.target)) {
    const boxes = type === "chartUserShapes" ? parts.get(target) : undefined;
    if (boxes) chart.captions.push(...readTextBoxes(boxes));
  }
  return chart;
}
