/** Adds two figures of which either may be unknown. */
export const sum = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : a + b);

/** Largest configuration that is kept with a step, in characters of its JSON. */
const LARGEST_INPUT = 256 * 1024;

/** A configuration as its row holds it. */
export function boundInput(config: unknown): unknown {
  const json = JSON.stringify(config ?? null);
  return json.length <= LARGEST_INPUT ? (config ?? null) : { truncated: true, head: json.slice(0, 2000) };
}

/** Rejects when the signal fires, also where the work ignores it. */
export function within<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
