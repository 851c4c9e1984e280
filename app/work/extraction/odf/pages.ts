import { inReadingOrder, type Place } from "../slides/reading-order";
import type { OdfBlock } from "./content";

interface Unit {
  place: Place | undefined;
  isTitle: boolean;
  blocks: OdfBlock[];
}

export interface OdfPage {
  isHidden: boolean;
  units: Unit[];
  notes: OdfBlock[];
}

/** In tenths of a millimeter; undefined without a unit. */
function lengthOf(text = ""): number | undefined {
  const [, number, unit] = /^(-?[\d.]+)(cm|mm|in|pt)$/.exec(text) ?? [];
  const factor = { cm: 100, mm: 10, in: 254, pt: 254 / 72 }[unit ?? ""];
  return number === undefined || factor === undefined ? undefined : Number(number) * factor;
}

function placeOf(attributes: Record<string, string>): Place | undefined {
  const [x, y, width, height] = ["svg:x", "svg:y", "svg:width", "svg:height"].map((key) =>
    lengthOf(attributes[key]),
  );
  if (x === undefined || y === undefined || width === undefined || height === undefined) return undefined;
  return { x, y, width, height };
}

export const newPage = (isHidden: boolean): OdfPage => ({ isHidden, units: [], notes: [] });

export const newUnit = (attributes: Record<string, string>): Unit => ({
  place: placeOf(attributes),
  isTitle: attributes["presentation:class"] === "title",
  blocks: [],
});

const linesOf = (blocks: readonly OdfBlock[]) => blocks.map(({ text }) => text.trim()).filter(Boolean);

/** Lists a page's blocks in reading order, its title as a heading before them. An empty page has none. */
export function blocksOfPage({ units, notes }: OdfPage, number: number): OdfBlock[] {
  const title = units.filter(({ isTitle }) => isTitle).flatMap(({ blocks }) => linesOf(blocks));
  const rest = inReadingOrder(units.filter(({ isTitle }) => !isTitle)).flatMap(({ blocks }) => blocks);
  const spoken = linesOf(notes).join("\n");
  if (spoken) rest.push({ kind: "paragraph", text: `Notes: ${spoken}` });
  if (title.length + rest.length === 0) return [];
  return [{ kind: "heading", level: 1, text: title.join(" ") || `Slide ${number}` }, ...rest];
}
