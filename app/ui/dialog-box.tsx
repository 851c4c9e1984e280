import { type Blocker, Link, useNavigate } from "@remix-run/react";
import { X } from "lucide-react";
import { type ReactNode, type RefObject, useEffect, useId, useRef } from "react";
import { IconLink } from "./button";
import { cx } from "./class-names";
import { DiscardQuestion } from "./guarded-forms";
import { useBrowserLayout } from "./hydration";
import { type Address, type Guarded, useLeaveGuard } from "./leave-guard";
import { fieldsIn, isTyped } from "./typed-fields";

/** Makes the rest of the page inert, except toasts. @returns a cleanup function */
function isolate(element: HTMLElement): () => void {
  const inertElements: Element[] = [];
  for (
    let node: HTMLElement = element;
    node !== document.body && node.parentElement;
    node = node.parentElement
  ) {
    for (const sibling of node.parentElement.children) {
      if (sibling === node || sibling.hasAttribute("inert") || sibling.matches("[data-toaster], script"))
        continue;
      // The scrim stays clickable.
      if (node === element) continue;
      sibling.setAttribute("inert", "");
      inertElements.push(sibling);
    }
  }
  return () => {
    for (const sibling of inertElements) sibling.removeAttribute("inert");
  };
}

/** A name that password managers read is a hidden field, which takes no focus. */
const FOCUSABLE =
  ":is([autofocus], [aria-invalid=true], input, textarea, select, button, a[href]):not([hidden], [type=hidden], [type=radio]:not(:checked), :disabled)";

function returnFocus(opener: Element | null): void {
  if (opener instanceof HTMLElement && opener.isConnected && opener !== document.body) {
    opener.focus();
    return;
  }
  document.querySelector<HTMLElement>("main")?.focus({ preventScroll: true });
}

function useModal(box: RefObject<HTMLElement>, onClose: () => void): void {
  const close = useRef(onClose);
  close.current = onClose;
  // An Escape right behind the opening must find its listener.
  useBrowserLayout(() => {
    const element = box.current;
    if (!element) return;
    const opener = document.activeElement;
    const restore = isolate(element);
    if (!element.contains(opener)) {
      const first = element.querySelector<HTMLElement>("[data-focus-first]");
      const body = element.querySelector<HTMLElement>("header ~ *");
      // Tabs may precede the form.
      const form = body?.querySelector<HTMLElement>("form");
      (
        first ??
        form?.querySelector<HTMLElement>(FOCUSABLE) ??
        body?.querySelector<HTMLElement>(FOCUSABLE) ??
        element.querySelector<HTMLElement>(FOCUSABLE)
      )?.focus();
    }
    const onKey = (event: KeyboardEvent) => {
      // The focus is lost where the focused part went with an answer.
      const isWithin = event.target === document.body || element.contains(event.target as Node);
      if (event.key === "Escape" && isWithin && !event.defaultPrevented) close.current();
    };
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("keydown", onKey);
      restore();
      returnFocus(opener);
    };
  }, [box]);
}

export interface DialogProps {
  title: ReactNode;
  description?: ReactNode;
  closeTo: string;
  size?: "sm" | "md" | "lg" | undefined;
  /** A dialog at the top keeps its fields in place when results come below them. */
  position?: "center" | "top" | "side";
  role?: "dialog" | "alertdialog";
  children: ReactNode;
}

const POSITIONS = {
  center: {
    // A tall dialog begins below a toast while one is shown; the others stay where they are, and its buttons as well.
    frame:
      "sm:grid sm:grid-cols-[minmax(0,1fr)] sm:justify-items-center sm:grid-rows-[minmax(1.5rem,1fr)_minmax(0,auto)_minmax(1.5rem,1fr)] sm:px-6 [html:has([data-toast])_&]:sm:grid-rows-[minmax(6rem,1fr)_minmax(0,auto)_minmax(1.5rem,1fr)]",
    box: "sm:row-start-2 sm:max-h-full sm:rounded-xl",
  },
  top: {
    frame:
      "sm:grid sm:grid-cols-[minmax(0,1fr)] sm:justify-items-center sm:grid-rows-[minmax(1.5rem,12dvh)_minmax(0,auto)_minmax(1.5rem,1fr)] sm:px-6 [html:has([data-toast])_&]:sm:grid-rows-[minmax(6rem,12dvh)_minmax(0,auto)_minmax(1.5rem,1fr)]",
    box: "max-sm:min-h-[80dvh] sm:row-start-2 sm:max-h-full sm:rounded-xl",
  },
  side: {
    frame: "sm:items-stretch sm:justify-end",
    box: "sm:h-dvh sm:max-h-dvh sm:rounded-tr-none sm:rounded-l-xl",
  },
};
const SIZES = { sm: "max-w-md", md: "max-w-xl", lg: "max-w-3xl" };

export function DialogBox(props: DialogProps) {
  const { title, description, closeTo, size = "md", position = "center", role = "dialog", children } = props;
  const id = useId();
  const box = useRef<HTMLDialogElement>(null);
  const navigate = useNavigate();
  const blocker = useTypedGuard(box, closeTo);
  useModal(box, () => {
    if (blocker.state === "blocked") blocker.reset();
    else navigate(closeTo, { preventScrollReset: true });
  });
  return (
    <div
      className={cx(
        "fixed inset-0 z-50 flex items-end justify-center overflow-y-auto",
        POSITIONS[position].frame,
      )}
    >
      <Link to={closeTo} preventScrollReset tabIndex={-1} aria-hidden="true" className="scrim fixed inset-0">
        {" "}
      </Link>
      <dialog
        ref={box}
        open
        role={role}
        aria-modal="true"
        aria-labelledby={`${id}-title`}
        aria-describedby={description == null ? undefined : `${id}-description`}
        className={cx(
          "enter relative m-0 flex max-h-[calc(100dvh-1.5rem)] w-full flex-col overflow-hidden [html:has([data-toast])_&]:max-sm:max-h-[calc(100dvh-5.5rem)] short:overflow-y-auto rounded-t-xl bg-raised text-ink shadow-float",
          POSITIONS[position].box,
          SIZES[size],
        )}
      >
        <header className="flex items-start gap-4 border-line border-b px-5 py-4 [&:not(:has(h2+p))]:items-center">
          <div className="min-w-0 flex-1">
            <h2 id={`${id}-title`} className="text-md">
              {title}
            </h2>
            {description != null && (
              <p id={`${id}-description`} className="mt-0.5 text-pretty text-muted">
                {description}
              </p>
            )}
          </div>
          <IconLink to={closeTo} preventScrollReset label="Close" icon={<X />} className="-mr-2" />
        </header>
        {/* Relative, as texts for screen readers are placed absolutely: in it, they don't lengthen the box. */}
        <div className="relative min-h-0 overflow-y-auto px-5 py-4 short:shrink-0 short:overflow-visible">
          {children}
        </div>
        {blocker.state === "blocked" && (
          <DiscardQuestion question="Discard what you typed?" blocker={blocker} className="absolute" />
        )}
      </dialog>
    </div>
  );
}

function useTypedGuard(box: RefObject<HTMLElement>, closeTo: string): Blocker {
  const behind = useRef(closeTo);
  behind.current = closeTo;
  const isCancelled = useRef(false);
  useEffect(() => {
    const element = box.current;
    const noteCancel = ({ target }: Event) => {
      isCancelled.current = target instanceof Element && target.closest("footer a[href]") !== null;
    };
    element?.addEventListener("click", noteCancel, true);
    return () => element?.removeEventListener("click", noteCancel, true);
  }, [box]);
  const guarded = useRef<Guarded>({
    isUnsaved: () => !isCancelled.current && box.current !== null && fieldsIn(box.current).some(isTyped),
    isLeft: (from, to) => !isWithinDialog(from, to, behind.current),
  });
  return useLeaveGuard(guarded.current);
}

/** A dialog has a name in the address of the page behind it, or an address of its own. */
function isWithinDialog(from: Address, to: Address, closeTo: string): boolean {
  if (from.pathname !== to.pathname) return false;
  const dialogOf = ({ search }: Address) => new URLSearchParams(search).get("dialog");
  const hasOwnAddress = closeTo.startsWith("/") && closeTo.split(/[?#]/)[0] !== from.pathname;
  return dialogOf(from) === dialogOf(to) && (hasOwnAddress || dialogOf(from) !== null);
}
