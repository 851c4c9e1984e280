import { oneLine } from "../document-builder";
import { altTextOf } from "../drawings/alt-text";
import { readXml } from "../office";
import { oneAlternative } from "../office-alternatives";
import { oneLineFormulas } from "../office-math";
import { relationOf } from "../office-relationships";
import { inReadingOrder, type Place } from "./reading-order";

export interface SlideParagraph {
  text: string;
  level: number;
  /** `inherited` from the layout, or numbered by a scheme such as `arabicPeriod`. */
  bullet: "inherited" | "none" | "bullet" | { scheme: string; start: number };
}

export interface Shape {
  /** Type of the placeholder: `title`, `ctrTitle`, `body`, `sldNum`…; empty for other boxes. */
  role: string;
  /** Number of the placeholder in its layout. */
  index: string;
  place?: Place | undefined;
  paragraphs: SlideParagraph[];
  rows: string[][];
  /** Relationship of a chart or diagram. */
  drawing: string;
  alt: string;
  /** What is shown without text. */
  media: "" | "image" | "video" | "object";
}

export interface Slide {
  isHidden: boolean;
  /** Whether the shapes of the layout or master below are shown too. */
  showsMaster: boolean;
  shapes: Shape[];
}

export type Inherit = (shape: Shape) => Place | undefined;

interface Group {
  place?: Place | undefined;
  alt: string;
  items: { place?: Place | undefined; shapes: Shape[] }[];
}

const SHAPES = new Set(["sp", "cxnSp", "graphicFrame", "pic"]);
const MAX_LEVEL = 8;
const newShape = (): Shape => ({
  role: "",
  index: "",
  paragraphs: [],
  rows: [],
  drawing: "",
  alt: "",
  media: "",
});
const newGroup = (): Group => ({ alt: "", items: [] });
const isSet = (value: string | undefined) => value === "1" || value === "true";
const isUnset = (value: string | undefined) => value === "0" || value === "false";

/** Collects the shapes of a slide, layout or master while its XML is read. */
class SlideReader {
  readonly #slide = { isHidden: false, showsMaster: true };
  readonly #inherit: Inherit;
  readonly #rightToLeft: boolean;
  readonly #groups: Group[] = [newGroup()];
  #shape: Shape | undefined;
  #paragraph: SlideParagraph | undefined;
  #cell: { texts: string[]; isBelow: boolean } | undefined;
  #inText = false;
  #inField = false;
  #inPlace = false;
  /** Depth below a shape that another one contains: the picture of an embedded object. */
  #inner = 0;

  constructor(inherit: Inherit, rightToLeft: boolean) {
    this.#inherit = inherit;
    this.#rightToLeft = rightToLeft;
  }

  open(name: string, attributes: Record<string, string>): void {
    if (this.#inner > 0 || (this.#shape && SHAPES.has(name))) {
      this.#inner += 1;
      return;
    }
    if (SHAPES.has(name)) {
      this.#shape = newShape();
      if (name === "pic") this.#shape.media = "image";
    } else if (name === "grpSp") this.#groups.push(newGroup());
    else if (/^(?:sld|sldLayout)$/.test(name)) {
      this.#slide.isHidden = isUnset(attributes.show);
      this.#slide.showsMaster = !isUnset(attributes.showMasterSp);
    } else if (!this.#openPlace(name, attributes) && !this.#openText(name, attributes))
      this.#openProperty(name, attributes);
  }

  #openPlace(name: string, attributes: Record<string, string>): boolean {
    if (name !== "xfrm" && !this.#inPlace) return false;
    const owner = this.#shape ?? this.#groups.at(-1);
    const [first = 0, second = 0] = ["x", "y", "cx", "cy"]
      .filter((key) => attributes[key] !== undefined)
      .map((key) => Number(attributes[key]) || 0);
    if (name === "xfrm") {
      this.#inPlace = true;
      if (owner) owner.place = { x: 0, y: 0, width: 0, height: 0 };
    } else if (owner?.place && name === "off") Object.assign(owner.place, { x: first, y: second });
    else if (owner?.place && name === "ext") Object.assign(owner.place, { width: first, height: second });
    else return false;
    return true;
  }

  #openText(name: string, attributes: Record<string, string>): boolean {
    const paragraph = this.#paragraph;
    if (name === "p") this.#paragraph = { text: "", level: 0, bullet: "inherited" };
    else if (name === "pPr" && paragraph) paragraph.level = Math.min(MAX_LEVEL, Number(attributes.lvl) || 0);
    else if (name === "buNone" && paragraph) paragraph.bullet = "none";
    else if ((name === "buChar" || name === "buBlip") && paragraph) paragraph.bullet = "bullet";
    else if (name === "buAutoNum" && paragraph)
      paragraph.bullet = { scheme: attributes.type ?? "", start: Number(attributes.startAt) || 1 };
    else if (name === "br" && paragraph) paragraph.text += "\n";
    else if (name === "fld") this.#inField = this.#isNoise(attributes.type ?? "");
    else if (name === "t") this.#inText = !this.#inField;
    else return false;
    return true;
  }

  /** The slide's number, or the day on which a footer was drawn last. */
  #isNoise(field: string): boolean {
    return field === "slidenum" || (field.startsWith("datetime") && this.#shape?.role === "dt");
  }

  #openProperty(name: string, attributes: Record<string, string>): void {
    const shape = this.#shape;
    if (name === "cNvPr") {
      const owner = shape ?? this.#groups.at(-1);
      if (owner) owner.alt = altTextOf(attributes);
    }
    if (!shape) return;
    if (name === "ph") {
      shape.role = attributes.type ?? "body";
      shape.index = attributes.idx ?? "";
    } else if (name === "tr") shape.rows.push([]);
    else if (name === "tc") this.#cell = { texts: [], isBelow: isSet(attributes.vMerge) };
    else if (name === "chart") shape.drawing = relationOf(attributes);
    else if (name === "relIds") shape.drawing = relationOf(attributes, "dm");
    else if (name === "oleObj") shape.media = "object";
    else if (/^(?:video|audio|quickTime)File$|^(?:wavAudioFile|media)$/.test(name)) shape.media = "video";
    else if (name === "decorative" && isSet(attributes.val) && shape.media === "image") shape.media = "";
  }

  text(text: string): void {
    if (this.#inText && this.#paragraph && this.#inner === 0) this.#paragraph.text += text;
  }

  close(name: string): void {
    if (this.#inner > 0) this.#inner -= 1;
    else if (name === "t") this.#inText = false;
    else if (name === "fld") this.#inField = false;
    else if (name === "xfrm") this.#inPlace = false;
    else if (name === "p" && this.#paragraph) {
      if (this.#cell) this.#cell.texts.push(this.#paragraph.text);
      else if (this.#paragraph.text.trim()) this.#shape?.paragraphs.push(this.#paragraph);
      this.#paragraph = undefined;
    } else if (name === "tc" && this.#cell) this.#closeCell(this.#cell);
    else if (SHAPES.has(name)) this.#closeShape();
    else if (name === "grpSp") this.#closeGroup();
  }

  finish(): Slide {
    return { ...this.#slide, shapes: this.#shapesOf(this.#groups[0] ?? newGroup()) };
  }

  /** A cell that is merged with the one above names the same in its own row. */
  #closeCell({ texts, isBelow }: { texts: string[]; isBelow: boolean }): void {
    const row = this.#shape?.rows.at(-1);
    const above = this.#shape?.rows.at(-2);
    row?.push(isBelow ? (above?.[row.length] ?? "") : oneLine(texts.join(" ")));
    this.#cell = undefined;
  }

  #closeShape(): void {
    const shape = this.#shape;
    if (!shape) return;
    shape.place ??= this.#inherit(shape);
    this.#groups.at(-1)?.items.push({ place: shape.place, shapes: [shape] });
    this.#shape = undefined;
  }

  #closeGroup(): void {
    const group = this.#groups.length > 1 ? this.#groups.pop() : undefined;
    if (!group) return;
    const shapes = this.#shapesOf(group);
    if (group.alt) shapes.unshift({ ...newShape(), alt: group.alt });
    this.#groups.at(-1)?.items.push({ place: group.place, shapes });
  }

  #shapesOf({ items }: Group): Shape[] {
    return inReadingOrder(items, this.#rightToLeft).flatMap(({ shapes }) => shapes);
  }
}

/**
 * Reads the shapes of a slide in reading order, or those of a layout, master or page of notes.
 * @param inherit finds the place of a placeholder that has none of its own
 */
export function readSlide(bytes: Uint8Array, inherit: Inherit = () => undefined, rightToLeft = false): Slide {
  const reader = new SlideReader(inherit, rightToLeft);
  readXml(
    bytes,
    oneAlternative(
      oneLineFormulas({
        open: (name, attributes) => reader.open(name, attributes),
        text: (text) => reader.text(text),
        close: (name) => reader.close(name),
      }),
    ),
  );
  return reader.finish();
}
