/** The theme's colors as a diagram uses them, each `#rrggbb`. */
export interface Palette {
  dark: boolean;
  surface: string;
  sunken: string;
  ink: string;
  muted: string;
  line: string;
  soft: string;
  series: string[];
}

export interface DrawRequest {
  id: number;
  source: string;
  palette: Palette;
}

export type DrawReply = { id: number; svg: string; type: string } | { id: number; error: string };

const SERIES = [1, 2, 3, 4, 5, 6, 7, 8];

/** The theme's colors as sRGB: Mermaid reads neither variables nor `oklch()`. */
export function readPalette(): Palette {
  const probe = document.createElement("span");
  probe.hidden = true;
  document.body.append(probe);
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const bytesOf = (name: string): number[] => {
    probe.style.color = `var(--color-${name})`;
    if (!context) return [128, 128, 128];
    context.fillStyle = getComputedStyle(probe).color;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)];
  };
  const color = (name: string) =>
    `#${bytesOf(name)
      .map((byte) => byte.toString(16).padStart(2, "0"))
      .join("")}`;
  const palette: Palette = {
    dark: bytesOf("surface").reduce((sum, byte) => sum + byte, 0) < 384,
    surface: color("surface"),
    sunken: color("sunken"),
    ink: color("ink"),
    muted: color("muted"),
    line: color("line"),
    soft: color("primary-soft"),
    series: SERIES.map((number) => color(`series-${number}`)),
  };
  probe.remove();
  return palette;
}

/** Calls `changed` when the theme or the brand changes. @returns a function to stop */
export function watchTheme(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme", "style"] });
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", changed);
  return () => {
    observer.disconnect();
    system.removeEventListener("change", changed);
  };
}
