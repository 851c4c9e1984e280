import { Code, Download, Image } from "lucide-react";
import { useEffect, useState } from "react";
import { IconButton } from "~/ui/button";
import { cx } from "~/ui/class-names";
import { CopyButton } from "~/ui/copy-button";
import { ScrollRegion } from "~/ui/scroll-region";
import { readPalette, watchTheme } from "./draw-request";
import type { SafeSvg } from "./safe-svg";
import type { ShownBlockProps } from "./shown-block";

/** Delay before a text that still changes is drawn, in ms. */
const DELAY = 200;
/** Narrower than this, in CSS pixels, a wide drawing scrolls in place of getting smaller. */
const LEGIBLE = 560;

interface Drawing extends SafeSvg {
  alt: string;
}

async function draw(kind: ShownBlockProps["kind"], code: string): Promise<Drawing> {
  const { safeSvg } = await import("./safe-svg");
  if (kind !== "mermaid") {
    const safe = safeSvg(code);
    return { ...safe, alt: safe.title ?? "Drawing (SVG)" };
  }
  const palette = readPalette();
  const { drawMermaid } = await import("./draw-mermaid");
  const { svg, type } = await drawMermaid(code, palette);
  const safe = safeSvg(svg, palette.sunken);
  return { ...safe, alt: safe.title ?? `Diagram (${type})` };
}

type State = { code: string } & ({ drawing: Drawing } | { reason: string });

function useDrawing(kind: ShownBlockProps["kind"], code: string): State | undefined {
  const [theme, setTheme] = useState(0);
  const [state, setState] = useState<State>();
  useEffect(
    () => (kind === "mermaid" ? watchTheme(() => setTheme((count) => count + 1)) : undefined),
    [kind],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: each theme draws the same code in its colors
  useEffect(() => {
    let isCurrent = true;
    const show = (next: State) => isCurrent && setState(next);
    const timer = setTimeout(() => {
      draw(kind, code).then(
        (drawing) => show({ code, drawing }),
        (error: unknown) =>
          show({ code, reason: error instanceof Error ? error.message : "The diagram can't be drawn." }),
      );
    }, DELAY);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [kind, code, theme]);
  return state?.code === code ? state : undefined;
}

/**
 * A block of Mermaid or SVG as its drawing, with its code one press away. The drawing is an image: a document of its own,
 * in which no browser runs a script, follows a link or loads anything.
 */
export function DrawnBlock({ kind, name, code, children }: ShownBlockProps) {
  const state = useDrawing(kind, code);
  const [isCode, setCode] = useState(false);
  const [isBroken, setBroken] = useState(false);
  const drawing = state && "drawing" in state && !isBroken ? state.drawing : undefined;
  const reason = isBroken
    ? "The browser can't show it."
    : state && "reason" in state
      ? state.reason
      : undefined;
  const address = drawing && `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawing.svg)}`;
  return (
    <figure className="overflow-hidden rounded-md border border-line bg-sunken">
      <figcaption className="flex min-h-9 items-center gap-1 border-line border-b pr-1 pl-3 text-muted text-xs">
        <span className="wrap-anywhere min-w-0 flex-1 py-1">
          {name}
          {reason && <span role="status">{` · shown as code: ${reason}`}</span>}
        </span>
        {drawing && (
          <>
            <IconButton
              type="button"
              label={isCode ? "Show the drawing" : "Show the code"}
              icon={isCode ? <Image /> : <Code />}
              onClick={() => setCode(!isCode)}
            />
            <IconButton
              type="button"
              label="Download as SVG"
              icon={<Download />}
              onClick={() => {
                const link = document.createElement("a");
                link.href = address ?? "";
                link.download = "diagram.svg";
                link.click();
              }}
            />
          </>
        )}
        <CopyButton text={code} label="Copy code" />
      </figcaption>
      {drawing && !isCode ? (
        <ScrollRegion label={drawing.alt} className="scroll-x p-3">
          <img
            src={address}
            alt={drawing.alt}
            width={drawing.width}
            height={drawing.height}
            onError={() => setBroken(true)}
            // A model draws for white paper, with black as its default; a diagram has the theme's colors.
            className={cx(
              "mx-auto h-auto",
              kind === "mermaid"
                ? // Paper is white.
                  "[html[data-theme=dark]_&]:print:hue-rotate-180 [html[data-theme=dark]_&]:print:invert"
                : "rounded-sm bg-paper",
            )}
            style={{ maxWidth: `max(100%, ${Math.min(drawing.width, LEGIBLE)}px)` }}
          />
        </ScrollRegion>
      ) : (
        children
      )}
    </figure>
  );
}
