import { DocumentBuilder, MAX_PAGES, seemsHeader } from "../document-builder";
import type { DocumentFormat } from "../format";
import { type Parts, readProperties, readXml, unpackParts } from "../office";
import { readRelationships, relationOf } from "../office-relationships";

const isWanted = (name: string) =>
  /^(?:ppt\/(?:presentation|(?:slides|notesSlides)\/[^/]+)\.xml|ppt\/(?:slides\/)?_rels\/[^/]+\.rels|docProps\/core\.xml)$/.test(
    name,
  );

export const pptx: DocumentFormat = {
  label: "PowerPoint",
  endings: [".pptx", ".pptm", ".ppsx", ".potx"],
  types: ["application/vnd.openxmlformats-officedocument.presentationml.presentation"],
  isText: false,
  parts: ["ppt/presentation.xml"],
  async read({ bytes }) {
    const parts = await unpackParts(bytes, isWanted);
    const { builder, slides } = readPresentation(parts);
    const { title, facts } = readProperties(parts);
    return builder.finish(title, { format: this.label, pages: slides, ...facts });
  },
};

interface SlideParagraph {
  text: string;
  level: number;
}

interface Shape {
  /** Placeholder type: `title`, `ctrTitle`, `body`, `sldNum`…; empty for other boxes. */
  role: string;
  paragraphs: SlideParagraph[];
  rows: string[][];
}

function readSlide(bytes: Uint8Array): Shape[] {
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

const PRESENTATION = "ppt/presentation.xml";
const IGNORED_ROLES = new Set(["sldNum", "dt", "ftr", "hdr", "sldImg"]);
const isTitle = ({ role }: Shape) => role === "title" || role === "ctrTitle";

function findSlides(parts: Parts): string[] {
  const targets = new Map(readRelationships(parts, PRESENTATION).map(({ id, target }) => [id, target]));
  const slides: string[] = [];
  readXml(parts.get(PRESENTATION) ?? new Uint8Array(), {
    open(name, attributes) {
      const target = name === "sldId" ? targets.get(relationOf(attributes)) : undefined;
      if (target && parts.has(target)) slides.push(target);
    },
  });
  return slides;
}

const linesOf = ({ paragraphs }: Shape) => paragraphs.map(({ text }) => text.trim());

function addShape(builder: DocumentBuilder, shape: Shape, page: number): void {
  builder.table(shape.rows, { page, header: seemsHeader(shape.rows) });
  const isList = shape.role !== "" && shape.role !== "subTitle" && shape.paragraphs.length > 1;
  const items = shape.paragraphs.map(
    ({ text, level }) => `${"  ".repeat(level)}- ${text.trim().replaceAll("\n", " ")}`,
  );
  if (isList) builder.add("list", items.join("\n"), { page });
  else builder.add("paragraph", linesOf(shape).join("\n"), { page });
}

function notesOf(parts: Parts, slide: string): string {
  const notes = readRelationships(parts, slide).find(({ type }) => type === "notesSlide");
  const bytes = notes && parts.get(notes.target);
  if (!bytes) return "";
  const shapes = readSlide(bytes).filter(({ role }) => role === "body");
  return shapes.flatMap(linesOf).join("\n");
}

/** Reads slides and speaker notes, a page per slide with its title as heading. */
function readPresentation(parts: Parts): { builder: DocumentBuilder; slides: number } {
  const builder = new DocumentBuilder();
  const slides = findSlides(parts);
  for (const [at, slide] of slides.slice(0, MAX_PAGES).entries()) {
    if (builder.isFull) break;
    const page = at + 1;
    const shapes = readSlide(parts.get(slide) ?? new Uint8Array()).filter(
      ({ role }) => !IGNORED_ROLES.has(role),
    );
    const notes = notesOf(parts, slide);
    const title = shapes.filter(isTitle).flatMap(linesOf).join(" ");
    const rest = shapes.filter((shape) => !isTitle(shape));
    if (!title && !notes && rest.every(({ paragraphs, rows }) => paragraphs.length + rows.length === 0))
      continue;
    builder.heading(1, title || `Slide ${page}`, page);
    for (const shape of rest) addShape(builder, shape, page);
    if (notes) builder.add("paragraph", `Notes: ${notes}`, { page });
  }
  return { builder, slides: slides.length };
}
