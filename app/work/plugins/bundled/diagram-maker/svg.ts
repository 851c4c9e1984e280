import escapeHtml from "escape-html";
import { clip } from "~/core/well-formed";

/** Colors of series on white, each with a contrast of at least 3:1. */
export const COLORS = [
  "#2563eb",
  "#c2410c",
  "#0f766e",
  "#9333ea",
  "#b45309",
  "#be185d",
  "#4d7c0f",
  "#475569",
] as const;
export const INK = "#18181b";
export const MUTED = "#52525b";
export const LINE = "#d4d4d8";

const escapeXml = (text: string) =>
  escapeHtml(
    text
      .toWellFormed()
      // Characters that XML 1.0 doesn't allow (https://www.w3.org/TR/xml/#charsets).
      .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, ""),
  );

/** Two decimals keep the image small. */
const toText = (value: string | number) =>
  typeof value === "number" ? String(Math.round(value * 100) / 100) : escapeXml(value);

type Attributes = Readonly<Record<string, string | number>>;

export function element(name: string, attributes: Attributes, content = ""): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${toText(value)}"`);
  return `<${name}${written.join("")}>${content}</${name}>`;
}

/** Truncates long text. */
export const label = (text: string, attributes: Attributes, maxLength = 80): string =>
  element("text", { fill: INK, "font-size": 12, ...attributes }, escapeXml(clip(text, maxLength)));

export const heading = (text: string): string =>
  label(text, { x: 20, y: 30, "font-size": 16, "font-weight": 600 });

/** The usual width of text in a system font, in px. */
export const widthOf = (text: string, size = 12): number =>
  [...text].reduce((sum, letter) => sum + ((letter.codePointAt(0) ?? 0) > 0x2e80 ? 1 : 0.56) * size, 0);

/** Inline attributes: style sheets are disabled where it is served. */
export function image(width: number, height: number, title: string, content: string): string {
  const size = { width: Math.ceil(width), height: Math.ceil(height) };
  return element(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      viewBox: `0 0 ${size.width} ${size.height}`,
      ...size,
      role: "img",
      "font-family": "system-ui, sans-serif",
    },
    `${element("title", {}, escapeXml(title))}${element("rect", { ...size, fill: "#ffffff" })}${content}`,
  );
}
