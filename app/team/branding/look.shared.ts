import type { FontFamily } from "~/platform/settings/groups/branding.schema";

/** Each font's family name in its files. Source Sans Pro has been published as Source Sans 3 since 2021. */
export const FONT_FAMILIES: Readonly<Record<FontFamily, string>> = {
  Inter: "Inter Variable",
  Roboto: "Roboto Variable",
  Poppins: "Poppins",
  Montserrat: "Montserrat Variable",
  "Source Sans Pro": "Source Sans 3 Variable",
};

/** Linear part of a color, 0 to 1. https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function linear(part: number): number {
  const share = part / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

function luminance(color: string): number {
  const part = (at: number) => linear(Number.parseInt(color.slice(at, at + 2), 16));
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
}

/** Contrast ratio of two colors as `#rrggbb`, 1 to 21. https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
export function contrastOf(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

/** WCAG rating of a contrast. https://www.w3.org/TR/WCAG22/#contrast-minimum */
export function ratingOf(ratio: number): "AAA" | "AA" | "Large text only" | "Too low" {
  if (ratio >= 7) return "AAA";
  if (ratio >= 4.5) return "AA";
  return ratio >= 3 ? "Large text only" : "Too low";
}

/** Attribute of `html` that scopes custom CSS, so that it can't affect sign-in, settings or `?plain=1`. */
export const CUSTOM_CSS_ATTRIBUTE = "data-custom-css";
