export const MAX_STEPS = 100;
export const MAX_TRIGGERS = 10;
/** Depth to which loops can be nested: a step's key names each of them. */
export const MAX_LOOP_DEPTH = 4;
/** Branches of Parallel without connections, unless its configuration says how many. */
export const DEFAULT_BRANCHES = 2;

/** The branches that lead into the body of a loop. */
const BODY_BRANCHES = ["each", "repeat"];
export const isBodyBranch = (branch: string | undefined) =>
  branch !== undefined && BODY_BRANCHES.includes(branch);

/** Whether a row of the journal is a loop's own: its items, or the condition of a round. */
export const isRoundKey = (key: string): boolean => key.endsWith("]");

/** The key of the loop whose round it is; other keys stay. */
export const loopOf = (key: string): string => (isRoundKey(key) ? key.slice(0, key.lastIndexOf("[")) : key);

/** Before the secret of a public form's address. */
export const FORM_PATH = "/form/";
/** Before the name of an input in a public form, which has names of its own, such as its button's. */
export const FORM_FIELD = "input_";
export const isFormPath = (path: string): boolean => path.startsWith(FORM_PATH);

type Listed = Readonly<{ type: string; config: Readonly<Record<string, unknown>> }>;

export const isParallel = ({ type }: Pick<Listed, "type">) => type === "parallel";

/** How many of the next steps a step repeats or runs at once, if the workflow is a list. */
export const bodySize = ({ type, config }: Listed): number =>
  Math.max(1, Number(config.bodySteps) || (isParallel({ type }) ? DEFAULT_BRANCHES : 1));

/** The index of the Parallel that runs a list's step at the same time as its neighbors; -1 if none does. */
export function parallelOf(steps: readonly Listed[], index: number): number {
  return steps.findIndex((step, at) => isParallel(step) && at < index && index <= at + bodySize(step));
}

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
