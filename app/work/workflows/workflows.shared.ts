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
