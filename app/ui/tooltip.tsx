import { type ReactNode, useEffect, useRef, useState } from "react";
import { cx } from "./class-names";
import { useHydrated } from "./hydration";

/** Hover time before a tooltip shows, in ms. */
const DELAY = 700;
/** Within this time the next control's tooltip shows at once, in ms. */
const SKIP_DELAY = 300;

/** In pixels: half of the maximum width, which is the distance to the window's edges, and a usual height. */
const TEXT = { half: 96, height: 48 };
const CARD = { half: 184, height: 200 };

interface Position {
  left: number;
  top: number;
  above: boolean;
}

let lastHidden = Number.NEGATIVE_INFINITY;

interface TooltipProps {
  text: string;
  /** Shown in place of the text with JavaScript: more than a line, to be read. */
  card?: () => ReactNode;
  children: ReactNode;
}

export function Tooltip({ text, card, children }: TooltipProps) {
  const hydrated = useHydrated();
  const holder = useRef<HTMLSpanElement>(null);
  const [position, setPosition] = useState<Position>();
  const size = card ? CARD : TEXT;
  useEffect(() => (holder.current ? watch(holder.current, size, setPosition) : undefined), [size]);
  return (
    <span ref={holder} className="inline-flex" title={hydrated ? undefined : text}>
      {children}
      {position && (
        <span
          role="tooltip"
          className={cx(
            "-translate-x-1/2 fixed z-60",
            card ? "w-88 max-w-[calc(100vw-1rem)]" : "max-w-48",
            position.above ? "-translate-y-full pb-1.5" : "pt-1.5",
          )}
          style={{ left: position.left, top: position.top }}
        >
          <span
            className={cx(
              "enter block bg-raised text-ink text-xs shadow-float",
              card ? "rounded-md border border-line px-3 py-2" : "rounded-sm px-2 py-1 text-center",
            )}
          >
            {card ? card() : text}
          </span>
        </span>
      )}
    </span>
  );
}

function positionFor(holder: HTMLElement, size: typeof TEXT): Position {
  const { half, height } = size;
  const box = holder.getBoundingClientRect();
  const above = box.bottom + height > window.innerHeight && box.top > height;
  // A card begins where its control does, so that it covers little beside it.
  const center = size === CARD ? box.left + half : box.left + box.width / 2;
  const left = Math.min(Math.max(center, half), Math.max(window.innerWidth - half, half));
  return { left, top: above ? box.top : box.bottom, above };
}

function watch(
  holder: HTMLElement,
  size: typeof TEXT,
  setPosition: (position: Position | undefined) => void,
): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  let timer: number | undefined;
  let isOpen = false;
  const hide = () => {
    window.clearTimeout(timer);
    if (isOpen) lastHidden = performance.now();
    isOpen = false;
    setPosition(undefined);
  };
  const schedule = () => {
    window.clearTimeout(timer);
    const delay = performance.now() - lastHidden < SKIP_DELAY ? 0 : DELAY;
    timer = window.setTimeout(() => {
      isOpen = true;
      setPosition(positionFor(holder, size));
    }, delay);
  };
  holder.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && schedule(), { signal });
  holder.addEventListener("pointerleave", hide, { signal });
  holder.addEventListener("pointerdown", hide, { signal });
  holder.addEventListener(
    "focusin",
    (event) => event.target instanceof Element && event.target.matches(":focus-visible") && schedule(),
    { signal },
  );
  holder.addEventListener("focusout", hide, { signal });
  window.addEventListener("keydown", (event) => event.key === "Escape" && hide(), { signal });
  window.addEventListener("resize", () => isOpen && hide(), { signal });
  window.addEventListener("scroll", () => isOpen && hide(), { signal, capture: true, passive: true });
  return () => {
    window.clearTimeout(timer);
    controller.abort();
  };
}
