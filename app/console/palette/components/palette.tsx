import { useNavigate } from "@remix-run/react";
import { Search } from "lucide-react";
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from "react";
import { LinkButton } from "~/ui/button";
import type { FoundItem } from "../find.schema";
import { createShortcuts, typeAhead } from "./commands";

const load = () => import("./kbar-palette");
const KbarPalette = lazy(load);

const FIELD =
  "input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, select, [contenteditable]";

/** What a key can be meant for once it is focused or was clicked. */
const TAKERS = "main :is(article, li, tr, figure, pre, dialog)";
/** Selected rows, dialogs and editors take keys wherever the focus is. */
const ALWAYS_TAKES = "[data-select]:checked, dialog[open][aria-modal=true], [data-takes-keys]";

function canTakeKey(clicked: EventTarget | null): boolean {
  if ((window.getSelection()?.toString() ?? "") !== "") return true;
  if (document.querySelector(ALWAYS_TAKES)) return true;
  return [document.activeElement, clicked].some(
    (one) => one instanceof Element && one.isConnected && one.closest(TAKERS) !== null,
  );
}

const isMac = () => typeof navigator !== "undefined" && /mac|iphone|ipad/i.test(navigator.userAgent);

interface PaletteProps {
  missingNeeds: readonly string[];
  recent: readonly FoundItem[];
}

/** A link to the commands' page, and after hydration the palette with shortcuts. */
export function Palette({ missingNeeds, recent }: PaletteProps) {
  const navigate = useNavigate();
  const [open, setOpen] = useState(false);
  const onClosed = useCallback(() => setOpen(false), []);
  /** Text typed until the palette's field has the focus; undefined afterwards. */
  const early = useRef<string>();
  const takeTyped = useCallback(() => {
    const text = early.current ?? "";
    early.current = undefined;
    return text;
  }, []);

  useEffect(() => {
    if (!open) return;
    early.current = "";
    const onKey = (event: KeyboardEvent) => {
      if (early.current === undefined) return;
      if (event.key === "Escape") setOpen(false);
      else {
        const text = typeAhead(early.current, event);
        if (text === undefined) return;
        early.current = text;
      }
      event.preventDefault();
      event.stopPropagation();
    };
    // Captures keys before the focused field or button gets them.
    window.addEventListener("keydown", onKey, true);
    return () => window.removeEventListener("keydown", onKey, true);
  }, [open]);

  useEffect(() => {
    const decide = createShortcuts();
    let clicked: EventTarget | null = null;
    const onPointerDown = ({ target }: PointerEvent) => (clicked = target);
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.repeat) return;
      const inField = event.target instanceof Element && event.target.closest(FIELD) !== null;
      const outcome = decide(
        {
          key: event.key,
          ctrl: event.ctrlKey,
          meta: event.metaKey,
          alt: event.altKey,
          shift: event.shiftKey,
        },
        {
          mac: isMac(),
          paletteOpen: open,
          inField,
          isTaken: canTakeKey(clicked),
          now: performance.now(),
        },
      );
      if (!outcome) return;
      // The open palette handles it.
      if ("toggle" in outcome) {
        if (open) return;
        event.preventDefault();
        setOpen(true);
        return;
      }
      event.preventDefault();
      setOpen(false);
      navigate(outcome.run.to);
    };
    window.addEventListener("keydown", onKey);
    window.addEventListener("pointerdown", onPointerDown, true);
    return () => {
      window.removeEventListener("keydown", onKey);
      window.removeEventListener("pointerdown", onPointerDown, true);
    };
  }, [navigate, open]);

  return (
    <>
      <LinkButton
        to="/search"
        size="sm"
        icon={<Search aria-hidden="true" />}
        className="min-w-8 pointer-coarse:min-w-11"
        onPointerEnter={load}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          setOpen(true);
        }}
      >
        <span className="max-sm:sr-only">Search</span>
        <span
          aria-hidden="true"
          className="hidden rounded-xs border border-line px-1 text-muted text-xs lg:inline"
        >
          Ctrl K
        </span>
      </LinkButton>
      {open && (
        <Suspense fallback={null}>
          <KbarPalette
            mac={isMac()}
            missingNeeds={missingNeeds}
            recent={recent}
            takeTyped={takeTyped}
            onClosed={onClosed}
          />
        </Suspense>
      )}
    </>
  );
}
