export const MAX_STEPS = 100;
export const MAX_TRIGGERS = 10;

export const RUN_STATES = [
  "queued",
  "running",
  "waiting",
  "succeeded",
  "failed",
  "cancelled",
  "skipped",
] as const;

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** How an expression names a step's output: a hyphen or a leading digit needs quotes. */
export const stepPath = (id: string): string =>
  NAME.test(id) ? `steps.${id}` : `steps[${JSON.stringify(id)}]`;

const UNQUOTED = /\bsteps\.([A-Za-z0-9_-]*)/g;

/** A reason why `source` can't be read: a step's name without its quotes. */
export function unquotedStep(source: string): string | undefined {
  for (const [, id = ""] of source.matchAll(UNQUOTED))
    if (id !== "" && !NAME.test(id)) return `Write ${stepPath(id)}: steps.${id} needs quotes.`;
  return undefined;
}

/** Outgoing branches; empty for a single unnamed one. */
export function branchesOf(
  part: { options?: { onError?: unknown } | undefined },
  type: { branches?: readonly string[] } | undefined,
): string[] {
  return [...(type?.branches ?? []), ...(part.options?.onError === "branch" ? ["error"] : [])];
}

/** @returns the cycle's ids, the first repeated; undefined without one */
export function findCycle(
  steps: readonly { id: string }[],
  connections: readonly { from: string; to: string }[],
): string[] | undefined {
  const incoming = new Map<string, string[]>();
  for (const { from, to } of connections) incoming.set(to, [...(incoming.get(to) ?? []), from]);
  const left = new Set(steps.map(({ id }) => id));
  const previous = (id: string) => incoming.get(id)?.find((from) => left.has(from));
  for (let size = -1; size !== left.size; ) {
    size = left.size;
    for (const id of left) if (previous(id) === undefined) left.delete(id);
  }
  // Each step that is left has one before it, so that the way back ends in a cycle.
  const path = [...left].slice(0, 1);
  for (let id = path[0]; id !== undefined; ) {
    const before: string | undefined = previous(id);
    if (before === undefined) return undefined;
    path.unshift(before);
    const end = path.indexOf(before, 1);
    if (end > 0) return path.slice(0, end + 1);
    id = before;
  }
  return undefined;
}

/** A line that is refused while it is drawn has the message of a refused save. */
export const cycleMessage = (cycle: readonly string[]) =>
  `The steps form a cycle: ${cycle.join(" → ")}. Leave out one of these connections`;

export const triggerTargetMessage = (id: string) => `The trigger "${id}" can't have incoming connections`;
