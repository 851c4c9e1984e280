import { type ComponentType, lazy, type ReactNode, useEffect, useSyncExternalStore } from "react";
import { loadBeforeHydration } from "./hydration";

interface LazyPart<P> {
  Part: (props: P & { fallback?: ReactNode }) => ReactNode;
  preload: () => void;
  useLoaded: () => boolean;
}

/**
 * A part of a screen whose code loads when the part is first shown. The server renders it in full, and such a page is
 * hydrated once the code has loaded, so that nothing flickers.
 * @param selector finds the part on a page that the server sent
 */
export function lazyPart<P extends object>(
  load: () => Promise<ComponentType<P>>,
  selector: string,
): LazyPart<P> {
  let Loaded: ComponentType<P> | undefined;
  let loading: Promise<{ default: ComponentType<P> }> | undefined;
  const listeners = new Set<() => void>();
  const fetched = () => {
    loading ??= load().then(
      (component) => {
        Loaded = component;
        for (const listener of listeners) listener();
        return { default: component };
      },
      (error) => {
        // The next render tries again.
        loading = undefined;
        throw error;
      },
    );
    return loading;
  };
  const preload = () => void fetched().catch(() => undefined);
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const useLoaded = () =>
    useSyncExternalStore(
      subscribe,
      () => Loaded !== undefined,
      () => true,
    );
  const OnServer = lazy(fetched) as unknown as ComponentType<P>;
  if (typeof document !== "undefined" && document.querySelector(selector)) loadBeforeHydration(fetched());

  function Part({ fallback, ...props }: P & { fallback?: ReactNode }) {
    const isLoaded = useLoaded();
    useEffect(preload, []);
    const Content = Loaded ?? OnServer;
    // No Suspense boundary: React hydrates one late, and fails if the page changes first.
    return isLoaded ? <Content {...(props as unknown as P)} /> : fallback;
  }
  return { Part, preload, useLoaded };
}

const INTERACTIONS = ["pointermove", "pointerdown", "keydown"] as const;

/** Runs `load` on the first interaction with the page, so that lazy code is ready when it is needed. */
export function onFirstUse(load: () => void): void {
  if (typeof window === "undefined") return;
  const controller = new AbortController();
  const begin = () => {
    controller.abort();
    load();
  };
  for (const type of INTERACTIONS)
    window.addEventListener(type, begin, { signal: controller.signal, capture: true, passive: true });
}
