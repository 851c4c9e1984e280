import { useEffect, useLayoutEffect, useSyncExternalStore } from "react";

const never = () => () => undefined;

/** False during hydration, as on the server. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}

/** A layout effect in the browser. The server has none, and React warns about it there. */
export const useBrowserLayout = typeof document === "undefined" ? useEffect : useLayoutEffect;

const loading: Promise<unknown>[] = [];

/**
 * Resolves when the code of the dialogs and parts in the server's page has loaded, those within others too. The page is
 * hydrated after that, since a press on an element that isn't hydrated follows its link and loses typed text.
 */
export async function openPartsLoaded(): Promise<void> {
  for (let awaited = -1; awaited !== loading.length; ) {
    awaited = loading.length;
    await Promise.allSettled(loading);
  }
}

/** Lets hydration wait for code that the server's page needs. */
export const loadBeforeHydration = (code: Promise<unknown>): void => void loading.push(code);

interface EarlyChoices extends Map<EventTarget, { value: string; checked: boolean }> {
  record: (event: Event) => void;
}

declare global {
  interface Window {
    earlyChoices?: EarlyChoices | undefined;
  }
}

/** Runs before the page's content is parsed: React sees no event of a page that isn't hydrated. */
export const RECORD_CHOICES =
  "{let early=window.earlyChoices=new Map;" +
  'addEventListener("change",early.record=({target:t})=>early.set(t,{value:t.value,checked:t.checked}),true)}';

/** Repeats choices made before hydration in selects, checkboxes and radio buttons, with their events. */
export function repeatEarlyChoices(): void {
  const early = window.earlyChoices;
  if (!early) return;
  window.earlyChoices = undefined;
  removeEventListener("change", early.record, true);
  for (const [field, { value, checked }] of early) {
    if (field instanceof HTMLSelectElement) {
      field.value = value;
      field.dispatchEvent(new Event("change", { bubbles: true }));
    } else if (field instanceof HTMLInputElement && (field.type === "checkbox" || field.type === "radio")) {
      // React ignores a press that changes nothing since hydration.
      field.checked = !checked;
      field.click();
    }
  }
}
