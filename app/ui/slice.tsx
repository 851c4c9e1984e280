import { createContext, type ReactNode, Suspense, useContext, useMemo } from "react";

/** On the server: waits for the next part's turn of the event loop. In the browser there is none to wait for. */
export const RenderTurns = createContext<(() => Promise<void>) | undefined>(undefined);

interface Turn {
  come: boolean;
  promise: Promise<void>;
}

/**
 * A part of a long page, rendered on the server in a turn of the event loop of its own: React renders all else in one go,
 * and others wait meanwhile. The page is sent when every part is there, so that it is whole without script. In the
 * browser each part is hydrated by itself.
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
  return (
    <Suspense>
      <InTurn turn={turn}>{children}</InTurn>
    </Suspense>
  );
}

function InTurn({ turn, children }: { turn: Turn | undefined; children: ReactNode }) {
  if (turn && !turn.come) throw turn.promise;
  return children;
}

/** Cuts a list into parts for slices. */
export function inParts<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, part) =>
    items.slice(part * size, (part + 1) * size),
  );
}
