import { readXml } from "../office/xml";

interface SlideParagraph {
  text: string;
  level: number;
}

export interface Shape {
  /** Placeholder type: `title`, `ctrTitle`, `body`, `sldNum`…; empty for other boxes. */
  role: string;
  paragraphs: SlideParagraph[];
  rows: string[][];
}

export function readSlide(bytes: Uint8Array): Shape[] {
  const shapes: Shape[] = [];
  let shape: Shape | undefined;
  let paragraph: SlideParagraph | undefined;
  let cell: string[] | undefined;
  let inText = false;
  /** Depth of fallback content, which duplicates the shapes. */
  let fallbackDepth = 0;
  readXml(bytes, {
    open(name, attributes) {
      if (name === "Fallback") fallbackDepth += 1;
      if (fallbackDepth > 0) return;
      if (name === "sp" || name === "graphicFrame") {
        shape = { role: "", paragraphs: [], rows: [] };
        shapes.push(shape);
      } else if (name === "ph" && shape) shape.role = attributes.type ?? "body";
      else if (name === "tr") shape?.rows.push([]);
      else if (name === "tc") cell = [];
      else if (name === "p") paragraph = { text: "", level: 0 };
      else if (name === "pPr" && paragraph) paragraph.level = Math.min(8, Number(attributes.lvl) || 0);
      else if (name === "br" && paragraph) paragraph.text += "\n";
      else if (name === "t") inText = true;
    },
    text(text) {
      if (inText && paragraph && fallbackDepth === 0) paragraph.text += text;
    },
    close(name) {
      if (name === "Fallback") fallbackDepth -= 1;
      if (fallbackDepth > 0) return;
      if (name === "t") inText = false;
      else if (name === "p" && paragraph) {
        if (cell) cell.push(paragraph.text);
        else if (paragraph.text.trim()) shape?.paragraphs.push(paragraph);
        paragraph = undefined;
      } else if (name === "tc" && cell) {
        shape?.rows.at(-1)?.push(cell.join(" "));
        cell = undefined;
      } else if (name === "sp" || name === "graphicFrame") shape = undefined;
    },
  });
  return shapes;
}
