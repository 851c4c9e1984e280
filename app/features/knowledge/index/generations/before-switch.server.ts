/** Compares a complete index with the one it is to replace. Must not throw. */
type CompareIndexes = (
  orgId: string,
  active: number,
  next: number,
  options: { signal: AbortSignal },
) => Promise<void>;

let compare: CompareIndexes | undefined;

/** Sets the comparison that runs before each switch. @returns a function that removes it */
export function onBeforeSwitch(run: CompareIndexes): () => void {
  compare = run;
  return () => {
    if (compare === run) compare = undefined;
  };
}

export const compareBeforeSwitch: CompareIndexes = async (...args) => compare?.(...args);
