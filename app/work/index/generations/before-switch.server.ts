type CompareIndexes = (
  orgId: string,
  active: number,
  next: number,
  options: { signal: AbortSignal },
) => Promise<void>;

let compare: CompareIndexes | undefined;

export function onBeforeSwitch(run: CompareIndexes): () => void {
  compare = run;
  return () => {
    if (compare === run) compare = undefined;
  };
}

export const compareBeforeSwitch: CompareIndexes = async (...args) => compare?.(...args);
