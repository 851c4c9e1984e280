import { createContext, type ReactNode, type RefObject, Suspense, useContext, useMemo, useRef } from "react";
import { useBrowserLayout } from "./hydration";

export const RenderYields = createContext<(() => Promise<void>) | undefined>(undefined);

const waiting = new Set<RefObject<boolean>>();
const callbacks: (() => void)[] = [];

/**
 * Runs after hydration: an earlier update makes React report an error or discard HTML. React hydrates the parts when
 * nothing else is to do, so what draws many times a second, such as an answer, waits here, too.
 */
export function afterHydration(callback: () => void): void {
  if (waiting.size === 0) callback();
  else callbacks.push(callback);
}

function settle(part: RefObject<boolean>): void {
  if (!waiting.delete(part) || waiting.size > 0) return;
  for (const callback of callbacks.splice(0)) callback();
}

interface YieldState {
  isReady: boolean;
  promise: Promise<void>;
}

/** A part rendered after an event-loop yield and hydrated separately, while the page is sent complete. */
export function RenderBatch({ children }: { children: ReactNode }) {
  const yieldToEventLoop = useContext(RenderYields);
  const state = useMemo<YieldState | undefined>(() => {
    if (!yieldToEventLoop) return undefined;
    const yielded: YieldState = { isReady: false, promise: Promise.resolve() };
    yielded.promise = yieldToEventLoop().then(() => {
      yielded.isReady = true;
    });
    return yielded;
  }, [yieldToEventLoop]);
  const hydrated = useRef(false);
  // A layout effect runs before the router's effect.
  useBrowserLayout(() => {
    if (!hydrated.current) waiting.add(hydrated);
    return () => settle(hydrated);
  }, []);
  return (
    <Suspense>
      <AfterYield state={state} hydrated={hydrated}>
        {children}
      </AfterYield>
    </Suspense>
  );
}

interface AfterYieldProps {
  state: YieldState | undefined;
  hydrated: { current: boolean };
  children: ReactNode;
}

function AfterYield({ state, hydrated, children }: AfterYieldProps) {
  if (state && !state.isReady) throw state.promise;
  useBrowserLayout(() => {
    hydrated.current = true;
    settle(hydrated);
  }, [hydrated]);
  return children;
}

export function inBatches<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, batch) =>
    items.slice(batch * size, (batch + 1) * size),
  );
}
