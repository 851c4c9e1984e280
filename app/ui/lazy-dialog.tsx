import { type ComponentProps, type ComponentType, lazy, Suspense, useState } from "react";
import { OpeningDialog } from "./use-opened";

const loading: Promise<unknown>[] = [];

/**
 * Resolves when the code of a dialog or part that the server sent is there. The page is hydrated after that: a press on what
 * isn't hydrated yet follows its link, and loses what was typed.
 */
export const openPartsLoaded = (): Promise<unknown> => Promise.allSettled(loading);

/** Lets hydration wait for code that the server's page needs. */
export const loadBeforeHydration = (code: Promise<unknown>): void => void loading.push(code);

/** Loaded on first opening, within `frameOf`; the server renders it whole. */
export function lazyDialog<P extends object>(
  load: () => Promise<ComponentType<P>>,
  frameOf: (props: P) => ComponentProps<typeof OpeningDialog>,
): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  const fetched = async () => {
    loaded = await load();
    return { default: loaded };
  };
  const Lazy = lazy(fetched) as unknown as ComponentType<P>;
  if (typeof document !== "undefined" && document.querySelector("dialog[open]"))
    loadBeforeHydration(fetched());
  return function LazyDialog(props: P) {
    // Constant while mounted: another type would lose its state.
    const [Content] = useState(() => loaded ?? Lazy);
    return (
      <Suspense fallback={<OpeningDialog {...frameOf(props)} />}>
        <Content {...props} />
      </Suspense>
    );
  };
}
