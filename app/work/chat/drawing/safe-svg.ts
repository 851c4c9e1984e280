import createPurifier from "dompurify";

export interface SafeSvg {
  /** A document of its own, which loads and runs nothing. */
  svg: string;
  /** In CSS pixels. */
  width: number;
  height: number;
  title: string | undefined;
}

/** In characters and elements; in CSS pixels. */
const MAX_SOURCE = 400_000;
const MAX_ELEMENTS = 8000;
const MAX_SIDE = 8000;

/** What refers to itself many times takes a browser for ever to draw, as do animations and scripts of links. */
const FORBIDDEN = [
  "a",
  "foreignobject",
  "use",
  "animate",
  "animatecolor",
  "animatemotion",
  "animatetransform",
];
const HOLDERS = "pattern, mask, clipPath, marker";
const EMBEDDED = /^data:image\/(?:png|jpeg|gif|webp);base64,/i;
/** Escapes would hide the rest, so none is allowed. */
const UNSAFE_CSS = /\\|@import|@font-face|image-set|src\s*\(|url\s*\((?!\s*["']?#)/i;
const REFERENCE = /url\s*\(/i;

const isSafeReference = (value: string) => /^\s*#/.test(value) || EMBEDDED.test(value.trim());

const purifier = createPurifier(window);
purifier.addHook("uponSanitizeElement", (node, { tagName }) => {
  if (tagName === "style" && UNSAFE_CSS.test(node.textContent ?? "")) node.textContent = "";
});
purifier.addHook("uponSanitizeAttribute", (node, data) => {
  const { attrName, attrValue } = data;
  const isLink = attrName === "href" || attrName === "xlink:href";
  if (isLink ? !isSafeReference(attrValue) : UNSAFE_CSS.test(attrValue)) data.keepAttr = false;
  // A pattern of patterns grows with each level.
  if (REFERENCE.test(attrValue) && node.closest(HOLDERS)) data.keepAttr = false;
});

const lengthOf = (value: string | null): number | undefined => {
  const length = /^\s*([\d.]+)(?:px)?\s*$/.exec(value ?? "")?.[1];
  return length === undefined ? undefined : Number(length);
};

function sizeOf(root: Element): { width: number; height: number } {
  const [, , boxWidth, boxHeight] = (root.getAttribute("viewBox") ?? "").split(/[\s,]+/).map(Number);
  const bounded = (side: number | undefined, otherwise: number) =>
    side !== undefined && side > 0 && Number.isFinite(side) ? Math.min(side, MAX_SIDE) : otherwise;
  const width = bounded(lengthOf(root.getAttribute("width")) ?? boxWidth, 300);
  const height = bounded(lengthOf(root.getAttribute("height")) ?? boxHeight, 150);
  return { width, height };
}

/**
 * An SVG without scripts, links, foreign content, animations and outside references.
 * @param background color behind it, if it has none of its own
 * @throws Error with the reason
 */
export function safeSvg(source: string, background?: string): SafeSvg {
  if (source.length > MAX_SOURCE) throw new Error("The drawing is too large.");
  // Nothing loads or runs in a template, nor is it part of a document, whose policy would refuse the style sheets.
  const template = document.createElement("template");
  template.innerHTML = source;
  const root = template.content.querySelector("svg");
  if (!root) throw new Error("There is no SVG to draw.");
  template.content.replaceChildren(root);
  purifier.sanitize(root, {
    USE_PROFILES: { svg: true },
    FORBID_TAGS: FORBIDDEN,
    IN_PLACE: true,
    // Names of its own, which never stand in the page.
    SANITIZE_DOM: false,
  });
  if (root.querySelectorAll("*").length > MAX_ELEMENTS) throw new Error("The drawing has too many elements.");
  const { width, height } = sizeOf(root);
  root.setAttribute("width", String(width));
  root.setAttribute("height", String(height));
  if (background) (root as SVGElement).style.backgroundColor = background;
  const title = root.querySelector("title")?.textContent ?? root.getAttribute("aria-label");
  return {
    svg: new XMLSerializer().serializeToString(root),
    width,
    height,
    title: title?.trim().slice(0, 200) || undefined,
  };
}
