import { type ReactNode, useEffect, useRef, useState } from "react";
import { cx } from "./class-names";
import { useHydrated } from "./hydration";

/** Hover time before a tooltip shows, in ms. */
const DELAY = 700;
/** Within this time the next control's tooltip shows at once, in ms. */
const SKIP_DELAY = 300;

interface Position {
  left: number;
  top: number;
  above: boolean;
}

let lastHidden = Number.NEGATIVE_INFINITY;

export function Tooltip({ text, children }: { text: string; children: ReactNode }) {
  const hydrated = useHydrated();
  const holder = useRef<HTMLSpanElement>(null);
  const [position, setPosition] = useState<Position>();
  useEffect(() => (holder.current ? watch(holder.current, setPosition) : undefined), []);
  return (
    <span ref={holder} className="inline-flex" title={hydrated ? undefined : text}>
      {children}
      {position && (
        <span
          role="tooltip"
          className={cx(
            "-translate-x-1/2 fixed z-60 max-w-48",
            position.above ? "-translate-y-full pb-1.5" : "pt-1.5",
          )}
          style={{ left: position.left, top: position.top }}
        >
          <span className="enter block rounded-sm bg-raised px-2 py-1 text-center text-ink text-xs shadow-float">
            {text}
          </span>
        </span>
      )}
    </span>
  );
}

function positionFor(holder: HTMLElement): Position {
  const box = holder.getBoundingClientRect();
  const above = box.bottom + 48 > window.innerHeight;
  // Distance to the edges: half of a tooltip's maximum width.
  const left = Math.min(Math.max(box.left + box.width / 2, 96), Math.max(window.innerWidth - 96, 96));
  return { left, top: above ? box.top : box.bottom, above };
}

function watch(holder: HTMLElement, setPosition: (position: Position | undefined) => void): () => void {
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
      setPosition(positionFor(holder));
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
