import { DocumentBuilder, MAX_PAGES } from "../document-builder";
import { addDrawing } from "../drawings/drawing";
import { readDrawing } from "../drawings/read-drawing";
import type { DocumentFormat } from "../format";
import { type Parts, readProperties, readXml, unpackParts } from "../office";
import { readRelationships, relationOf } from "../office-relationships";
import { readCommentAuthors, readComments } from "../slides/comments";
import { type Inherit, readSlide, type Shape, type Slide } from "../slides/slide";
import { addShape, countMedia, isEmpty, linesOf, noteCut, noteHidden } from "../slides/slide-text";

const isWanted = (name: string) =>
  /^(?:ppt\/.+|docProps\/core)\.(?:xml|rels)$/.test(name) &&
  !/^ppt\/(?:theme|media|embeddings|fonts|tags|ink|(?:handout|notes)Masters|diagrams\/(?:layout|quickStyle|colors|drawing))/.test(
    name,
  );

export const pptx: DocumentFormat = {
  label: "PowerPoint",
  endings: [".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm"],
  types: ["application/vnd.openxmlformats-officedocument.presentationml.presentation"],
  isText: false,
  entries: ["ppt/presentation.xml"],
  async read({ bytes }) {
    const parts = await unpackParts(bytes, isWanted);
    const { builder, slides } = await readPresentation(parts);
    const { title, facts } = readProperties(parts);
    return builder.finish(title, { format: this.label, pages: slides, ...facts });
  },
};

const PRESENTATION = "ppt/presentation.xml";
/** Numbers, and pictures of slides in their notes. */
const IGNORED_ROLES = new Set(["sldNum", "hdr", "sldImg"]);
const FOOTER_ROLES = new Set(["ftr", "dt"]);
const isTitle = ({ role }: Shape) => role === "title" || role === "ctrTitle";

function findSlides(parts: Parts): { slides: string[]; rightToLeft: boolean } {
  const targets = new Map(readRelationships(parts, PRESENTATION).map(({ id, target }) => [id, target]));
  const slides: string[] = [];
  let rightToLeft = false;
  readXml(parts.get(PRESENTATION) ?? new Uint8Array(), {
    open(name, attributes) {
      if (name === "presentation") rightToLeft = attributes.rtl === "1" || attributes.rtl === "true";
      const target = name === "sldId" ? targets.get(relationOf(attributes)) : undefined;
      if (target && parts.has(target)) slides.push(target);
    },
  });
  return { slides, rightToLeft };
}

/** Layouts and masters of the slides, each read once. */
class Layouts {
  readonly #parts: Parts;
  readonly #read = new Map<string, Slide>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** What a slide lies upon: its layout, then the layout's master. */
  below(slide: string): Slide[] {
    const layout = this.#find(slide, "slideLayout");
    const master = layout && this.#find(layout, "slideMaster");
    return [layout, master].flatMap((part) => (part ? [this.#slideOf(part)] : []));
  }

  #find(part: string, type: string): string | undefined {
    return readRelationships(this.#parts, part).find((item) => item.type === type)?.target;
  }

  #slideOf(part: string): Slide {
    const bytes = this.#parts.get(part);
    const slide =
      this.#read.get(part) ?? (bytes ? readSlide(bytes) : { isHidden: false, showsMaster: true, shapes: [] });
    this.#read.set(part, slide);
    return slide;
  }
}

/** Placeholders take their place from the layout's one of the same number, else from one of the same role. */
function inheritFrom(layers: readonly Slide[]): Inherit {
  return ({ role, index }) => {
    if (role === "") return undefined;
    const candidates = layers.flatMap(({ shapes }) => shapes.filter((shape) => shape.role !== ""));
    const same = candidates.find((shape) => shape.index === index && index !== "" && shape.place);
    return (same ?? candidates.find((shape) => shape.role === role && shape.place))?.place;
  };
}

/** The boxes of layout and master that their slides show. */
function shownBelow(slide: Slide, layers: readonly Slide[]): Shape[] {
  const shown: Shape[] = [];
  let isShown = slide.showsMaster;
  for (const { shapes, showsMaster } of layers) {
    if (isShown) shown.push(...shapes.filter(({ role }) => role === ""));
    isShown &&= showsMaster;
  }
  return shown;
}

function notesOf(parts: Parts, slide: string): string {
  const notes = readRelationships(parts, slide).find(({ type }) => type === "notesSlide");
  const bytes = notes && parts.get(notes.target);
  if (!bytes) return "";
  const shapes = readSlide(bytes).shapes.filter(
    ({ role }) => !IGNORED_ROLES.has(role) && !FOOTER_ROLES.has(role),
  );
  return shapes.flatMap(linesOf).join("\n");
}

class PresentationReader {
  readonly builder = new DocumentBuilder();
  readonly #parts: Parts;
  readonly #rightToLeft: boolean;
  readonly #layouts: Layouts;
  readonly #authors: ReadonlyMap<string, string>;
  /** Footers and texts of layouts that an earlier slide showed. */
  readonly #repeated = new Set<string>();
  readonly #hidden: number[] = [];

  constructor(parts: Parts, rightToLeft: boolean) {
    this.#parts = parts;
    this.#rightToLeft = rightToLeft;
    this.#layouts = new Layouts(parts);
    this.#authors = readCommentAuthors(parts, PRESENTATION);
  }

  async addSlide(part: string, page: number): Promise<void> {
    const layers = this.#layouts.below(part);
    const bytes = this.#parts.get(part) ?? new Uint8Array();
    const slide = readSlide(bytes, inheritFrom(layers), this.#rightToLeft);
    if (slide.isHidden) this.#hidden.push(page);
    const title = slide.shapes.filter(isTitle).flatMap(linesOf).join(" ");
    const shapes = slide.shapes.filter(
      (shape) => !isTitle(shape) && !IGNORED_ROLES.has(shape.role) && !FOOTER_ROLES.has(shape.role),
    );
    const footers = slide.shapes.filter(({ role }) => FOOTER_ROLES.has(role));
    const repeated = this.#notSeen([...shownBelow(slide, layers), ...footers].flatMap(linesOf));
    const notes = notesOf(this.#parts, part);
    const rest = [
      ...repeated,
      ...(notes ? [`Notes: ${notes}`] : []),
      ...readComments(this.#parts, part, this.#authors),
    ];
    for (const shape of shapes) countMedia(this.builder, shape);
    if (!title && rest.length === 0 && shapes.every(isEmpty)) return;
    this.builder.heading(1, title || `Slide ${page}`, page);
    for (const shape of shapes) {
      const drawing = shape.drawing ? await readDrawing(this.#parts, part, shape.drawing) : undefined;
      if (drawing) addDrawing(this.builder, drawing, { page });
      addShape(this.builder, shape, page);
    }
    for (const text of rest) this.builder.add("paragraph", text, { page });
  }

  #notSeen(lines: readonly string[]): string[] {
    const fresh = lines.filter((line, at) => !this.#repeated.has(line) && lines.indexOf(line) === at);
    for (const line of fresh) this.#repeated.add(line);
    return fresh;
  }

  finish(): DocumentBuilder {
    noteHidden(this.builder, this.#hidden);
    return this.builder;
  }
}

/** Reads slides with notes and comments, a page per slide with its title as heading. */
async function readPresentation(parts: Parts): Promise<{ builder: DocumentBuilder; slides: number }> {
  const { slides, rightToLeft } = findSlides(parts);
  const reader = new PresentationReader(parts, rightToLeft);
  for (const [at, part] of slides.slice(0, MAX_PAGES).entries()) {
    if (reader.builder.isFull) break;
    await reader.addSlide(part, at + 1);
  }
  noteCut(reader.builder, slides.length);
  return { builder: reader.finish(), slides: slides.length };
}
