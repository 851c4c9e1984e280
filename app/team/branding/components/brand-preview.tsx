import { type CSSProperties, useEffect, useRef, useState } from "react";
import { contrastOf, ratingOf } from "../look.shared";

const NAMES = [
  "appName",
  "primaryColor",
  "secondaryColor",
  "accentColor",
  "backgroundColor",
  "textColor",
  "borderRadius",
  "fontFamily",
  "glassEffect",
  "backgroundPattern",
] as const;
type Shown = Record<(typeof NAMES)[number], string>;

const PREVIEW_FONT = "Brand Preview";

const COLOR = /^#[0-9a-f]{6}$/i;

const CONTRASTS = [
  ["Text", "textColor"],
  ["Primary", "primaryColor"],
  ["Secondary", "secondaryColor"],
  ["Accent", "accentColor"],
] as const;

const pick = (read: (name: string) => unknown) =>
  Object.fromEntries(NAMES.map((name) => [name, String(read(name) ?? "")])) as Shown;

interface BrandPreviewProps {
  values: Readonly<Record<string, unknown>>;
  fonts: Readonly<Record<string, string>>;
}

function usePreviewFont(file: string | undefined): void {
  useEffect(() => {
    if (!file) return;
    const face = new FontFace(PREVIEW_FONT, `url(${file})`, { weight: "100 900" });
    document.fonts.add(face);
    face.load().catch(() => undefined);
    return () => void document.fonts.delete(face);
  }, [file]);
}

/** Preview in both themes with contrast ratings; without JavaScript it shows the saved values. */
export function BrandPreview({ values, fonts }: BrandPreviewProps) {
  const root = useRef<HTMLDivElement>(null);
  const [preview, setPreview] = useState(() => pick((name) => values[name]));
  useEffect(() => {
    const form = root.current?.closest("form");
    if (!form) return;
    const read = () => {
      const data = new FormData(form);
      const typed = pick((name) => data.get(name));
      setPreview((before) =>
        pick((name) => {
          const value = typed[name as keyof Shown];
          return name.endsWith("Color") && !COLOR.test(value) ? before[name as keyof Shown] : value;
        }),
      );
    };
    form.addEventListener("input", read);
    return () => form.removeEventListener("input", read);
  }, []);
  const { backgroundColor, textColor, fontFamily } = preview;
  usePreviewFont(fontFamily === values.fontFamily ? undefined : fonts[fontFamily]);
  return (
    <div ref={root} className="mt-4 flex flex-col gap-4 border-t pt-4">
      <h3 className="text-sm">Contrast with the Background</h3>
      <dl className="grid grid-cols-[1fr_auto_auto] gap-x-4 gap-y-1">
        {CONTRASTS.map(([label, name]) => {
          const ratio = contrastOf(preview[name], backgroundColor);
          return (
            <div key={name} className="contents">
              <dt>{label}</dt>
              <dd className="text-right">{(Math.floor(ratio * 10) / 10).toFixed(1)}:1</dd>
              <dd className={ratio < 3 ? "text-danger-ink" : "text-muted"}>{ratingOf(ratio)}</dd>
            </div>
          );
        })}
      </dl>
      <h3 className="text-sm">Preview</h3>
      <div aria-hidden="true" className="grid gap-3 sm:grid-cols-2">
        <Pane shown={preview} background={backgroundColor} text={textColor} />
        <Pane shown={preview} background={textColor} text={backgroundColor} />
      </div>
    </div>
  );
}

function Pane({ shown: preview, background, text }: { shown: Shown; background: string; text: string }) {
  const borderRadius = `${Number(preview.borderRadius) || 0}px`;
  // A switch is "on" in a form and a boolean among the values.
  const isGlass = preview.glassEffect === "on" || preview.glassEffect === "true";
  const surface = `color-mix(in oklab, ${text} 6.5%, ${background})`;
  const style: CSSProperties & { "--ink": string } = {
    background,
    color: text,
    borderRadius,
    fontFamily: `"${PREVIEW_FONT}", var(--font-sans)`,
    "--ink": text,
  };
  return (
    <div className="relative isolate min-w-0 overflow-hidden border border-line p-4" style={style}>
      <div className="pattern absolute inset-0 -z-10" data-pattern={preview.backgroundPattern} />
      <div
        className="flex min-w-0 flex-col items-start gap-3 border p-3"
        style={{
          // Matches cards and their borders in styles.css.
          background: isGlass ? `color-mix(in oklab, ${surface} 78%, transparent)` : surface,
          borderColor: `color-mix(in oklab, ${text} 15%, ${background})`,
          borderRadius,
        }}
      >
        <span className="max-w-full truncate font-semibold">{preview.appName}</span>
        <span
          className="px-3 py-1.5 font-medium text-on-solid"
          style={{
            // Matches `--color-primary-solid` in styles.css.
            background: `oklch(from ${preview.primaryColor} min(l, 0.546) c h)`,
            borderRadius: `calc(${borderRadius} * 0.75)`,
          }}
        >
          Button
        </span>
        <span className="flex gap-2">
          {[preview.primaryColor, preview.secondaryColor, preview.accentColor].map((color, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: three fixed positions
            <span key={index} className="size-4 rounded-full" style={{ background: color }} />
          ))}
        </span>
      </div>
    </div>
  );
}
