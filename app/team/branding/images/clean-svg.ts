import escapeHtml from "escape-html";
import { SaxesParser } from "saxes";
import { cleanCss } from "../custom-css/clean-css";

export type CleanedSvg = { kind: "clean"; svg: string } | { kind: "refused"; problem: string };

const ELEMENTS = new Set(
  `svg g defs symbol use path rect circle ellipse line polyline polygon text tspan textPath title desc linearGradient
  radialGradient stop clipPath mask pattern marker filter feGaussianBlur feOffset feBlend feColorMatrix feFlood
  feComposite feMerge feMergeNode feDropShadow style`.split(/\s+/),
);

const ATTRIBUTES = new Set(
  `id class style viewBox preserveAspectRatio version width height x y x1 y1 x2 y2 cx cy r rx ry fx fy d points
  transform pathLength fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin
  stroke-dasharray stroke-dashoffset stroke-miterlimit opacity color display visibility overflow clip-path clip-rule
  clipPathUnits mask maskUnits maskContentUnits mask-type gradientUnits gradientTransform spreadMethod offset stop-color
  stop-opacity patternUnits patternContentUnits patternTransform marker-start marker-mid marker-end markerWidth
  markerHeight markerUnits refX refY orient filter filterUnits primitiveUnits in in2 result stdDeviation dx dy mode type
  values operator k1 k2 k3 k4 flood-color flood-opacity color-interpolation-filters font-family font-size font-weight
  font-style text-anchor dominant-baseline letter-spacing startOffset vector-effect paint-order shape-rendering
  mix-blend-mode role aria-label`.split(/\s+/),
);

const MAX_DEPTH = 100;
const MAX_ELEMENTS = 20_000;
const FRAGMENT = /^#[\w.:-]+$/;
const OWN_URL = /url\(\s*(["']?)#[\w.:-]+\1\s*\)/gi;

class Refusal extends Error {}

function cleanStyle(source: string): string {
  const cleaned = cleanCss(source, { ownUrls: true });
  if (cleaned.kind === "refused") throw new Refusal(`Its styles are refused. ${cleaned.problems[0] ?? ""}`);
  return cleaned.minified;
}

function keepAttribute(name: string, value: string): [string, string] | undefined {
  if (name === "href" || name === "xlink:href") return FRAGMENT.test(value) ? ["href", value] : undefined;
  if (!ATTRIBUTES.has(name)) return undefined;
  if (name === "style") {
    if (/[{}]/.test(value)) throw new Refusal("Its styles are refused.");
    return [name, cleanStyle(`a{${value}}`).slice("a{".length, -1)];
  }
  const rest = value.replaceAll(OWN_URL, "");
  return /[\\]|url|image|src\s*\(|javascript:|data:/i.test(rest) && name !== "id" && name !== "class"
    ? undefined
    : [name, value];
}

class Writer {
  #written = "";
  #depth = 0;
  #elements = 0;
  /** Depth of the outermost dropped element; 0 for none. */
  #dropped = 0;
  #style: string | undefined;

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#depth++;
    this.#elements++;
    if (this.#depth > MAX_DEPTH || this.#elements > MAX_ELEMENTS) throw new Refusal("It is too complex.");
    if (this.#depth === 1 && name !== "svg") throw new Refusal("It is not an SVG image.");
    if (this.#dropped > 0) return;
    if (!ELEMENTS.has(name) || this.#style !== undefined) {
      this.#dropped = this.#depth;
      return;
    }
    const allowedAttributes = Object.entries(attributes).flatMap(([key, value]) => {
      const attribute = keepAttribute(key, value);
      return attribute ? [attribute] : [];
    });
    if (this.#depth === 1) allowedAttributes.unshift(["xmlns", "http://www.w3.org/2000/svg"]);
    this.#written += `<${name}${allowedAttributes.map(([key, value]) => ` ${key}="${escapeHtml(value)}"`).join("")}>`;
    if (name === "style") this.#style = "";
  }

  text(text: string): void {
    if (this.#dropped > 0) return;
    if (this.#style === undefined) this.#written += escapeHtml(text);
    else this.#style += text;
  }

  close(name: string): void {
    if (this.#dropped === 0) {
      if (this.#style !== undefined) this.#written += escapeHtml(cleanStyle(this.#style));
      this.#style = undefined;
      this.#written += `</${name}>`;
    } else if (this.#dropped === this.#depth) this.#dropped = 0;
    this.#depth--;
  }

  result(): string {
    return this.#written;
  }
}

/** Rewrites an SVG from an allow list: no scripts, links or external resources. Takes up to a second: for a worker. */
export function cleanSvg(source: string): CleanedSvg {
  const writer = new Writer();
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw new Refusal(`It is not well-formed (${error.message.slice(0, 100)}).`);
  });
  parser.on("doctype", () => {
    throw new Refusal("It has a document type, which is not allowed.");
  });
  parser.on("opentag", ({ name, attributes }) => writer.open(name, attributes as Record<string, string>));
  parser.on("text", (text) => writer.text(text));
  parser.on("cdata", (text) => writer.text(text));
  parser.on("closetag", ({ name }) => writer.close(name));
  try {
    parser.write(source).close();
  } catch (error) {
    if (error instanceof Refusal) return { kind: "refused", problem: error.message };
    throw error;
  }
  return { kind: "clean", svg: writer.result() };
}
