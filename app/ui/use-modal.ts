import { type RefObject, useEffect, useRef } from "react";

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

const FOCUSABLE =
  "[autofocus], [aria-invalid=true], input:not([type=hidden]):not(:disabled), textarea, select, button, a[href]";

/** Falls back to the page. */
function returnFocus(opener: Element | null): void {
  if (opener instanceof HTMLElement && opener.isConnected && opener !== document.body) {
    opener.focus();
    return;
  }
  document.querySelector<HTMLElement>("main")?.focus({ preventScroll: true });
}

/** Traps the focus and restores it. */
export function useModal(box: RefObject<HTMLElement>, onClose: () => void): void {
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
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
      if (event.key === "Escape" && !event.defaultPrevented) close.current();
    };
    element.addEventListener("keydown", onKey);
    return () => {
      element.removeEventListener("keydown", onKey);
      restore();
      returnFocus(opener);
    };
  }, [box]);
}
