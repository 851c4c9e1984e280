import {
  createContext,
  type ReactNode,
  type RefObject,
  Suspense,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
} from "react";

/** On the server: yields to the event loop before the next part. Undefined in the browser. */
export const RenderYields = createContext<(() => Promise<void>) | undefined>(undefined);

/** The parts that aren't hydrated yet. */
const waiting = new Set<RefObject<boolean>>();
const callbacks: (() => void)[] = [];

/** Before the router's own effect subscribes to updates; the server has no layout effects. */
const useEarlyEffect = typeof document === "undefined" ? useEffect : useLayoutEffect;

/** How long a callback waits for hydration at most, in ms: an answer that is being written can hold it up. */
const LONGEST_WAIT = 1000;

/** Runs a callback once no part waits for hydration: React reports an error, or discards a part's HTML, if an update reaches it. */
export function afterHydration(callback: () => void): void {
  if (waiting.size === 0) callback();
  else if (callbacks.push(callback) === 1) setTimeout(runCallbacks, LONGEST_WAIT);
}

function runCallbacks(): void {
  for (const callback of callbacks.splice(0)) callback();
}

function settle(part: RefObject<boolean>): void {
  if (waiting.delete(part) && waiting.size === 0) runCallbacks();
}

interface Turn {
  come: boolean;
  promise: Promise<void>;
}

/**
 * A part of a long page that the server renders after an event-loop yield, so that other requests don't wait for the whole
 * page. The page is sent when every part is rendered, so that it is complete without script. The browser hydrates each part
 * separately.
 */
export function Slice({ children }: { children: ReactNode }) {
  const next = useContext(RenderYields);
  const turn = useMemo<Turn | undefined>(() => {
    if (!next) return undefined;
    const own: Turn = { come: false, promise: Promise.resolve() };
    own.promise = next().then(() => {
      own.come = true;
    });
    return own;
  }, [next]);
  const hydrated = useRef(false);
  useEarlyEffect(() => {
    if (!hydrated.current) waiting.add(hydrated);
    return () => settle(hydrated);
  }, []);
  return (
    <Suspense>
      <InTurn turn={turn} hydrated={hydrated}>
        {children}
      </InTurn>
    </Suspense>
  );
}

interface InTurnProps {
  turn: Turn | undefined;
  hydrated: { current: boolean };
  children: ReactNode;
}

function InTurn({ turn, hydrated, children }: InTurnProps) {
  if (turn && !turn.come) throw turn.promise;
  useEarlyEffect(() => {
    hydrated.current = true;
    settle(hydrated);
  }, [hydrated]);
  return children;
}

/** Splits a list into parts for slices. */
export function inParts<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, part) =>
    items.slice(part * size, (part + 1) * size),
  );
}
