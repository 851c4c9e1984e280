import {
  createContext,
  type ReactNode,
  type RefObject,
  Suspense,
  useContext,
  useEffect,
  useMemo,
  useRef,
} from "react";

/** On the server: waits for the next part's turn of the event loop. In the browser there is none to wait for. */
export const RenderTurns = createContext<(() => Promise<void>) | undefined>(undefined);

/** Parts that the browser hasn't hydrated yet. */
const waiting = new Set<RefObject<boolean>>();

/** Whether parts of the page wait to be hydrated: an update that reaches one has React draw it again from nothing. */
export const isHydrating = () => waiting.size > 0;

interface Turn {
  come: boolean;
  promise: Promise<void>;
}

/**
 * A part of a long page, rendered on the server in a turn of the event loop of its own: React renders all else in one
 * go, and others wait in the meantime. The page is sent when every part is there, so that it is whole without script.
 * In the browser each part is hydrated by itself.
 */
export function Slice({ children }: { children: ReactNode }) {
  const next = useContext(RenderTurns);
  const turn = useMemo<Turn | undefined>(() => {
    if (!next) return undefined;
    const own: Turn = { come: false, promise: Promise.resolve() };
    own.promise = next().then(() => {
      own.come = true;
    });
    return own;
  }, [next]);
  const hydrated = useRef(false);
  useEffect(() => {
    if (!hydrated.current) waiting.add(hydrated);
    return () => void waiting.delete(hydrated);
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
  useEffect(() => {
    hydrated.current = true;
    waiting.delete(hydrated);
  }, [hydrated]);
  return children;
}

/** Cuts a list into parts for slices. */
export function inParts<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, part) =>
    items.slice(part * size, (part + 1) * size),
  );
}
