import { now } from "~/core/clock.server";

/** A check that is being made by this process. */
export interface RunningCheck {
  run: string;
  orgId: string;
  reason: "asked" | "switch";
  questions: number;
  judged: number;
  done: number;
  total: number;
  startedAt: number;
  /** Resolves when it is over, whatever came of it. */
  over: Promise<void>;
}

interface Checks {
  running: Map<string, RunningCheck>;
  listeners: Set<(orgId: string) => void>;
}

// Development evaluates modules again while a check runs.
const holder = globalThis as typeof globalThis & { quarterdeckChecks?: Checks };
function checks(): Checks {
  holder.quarterdeckChecks ??= { running: new Map(), listeners: new Set() };
  return holder.quarterdeckChecks;
}

export function trackedCheck(orgId: string): RunningCheck | undefined {
  return checks().running.get(orgId);
}

/** Reports that an organisation's check got further or ended. */
export function checkStepped(orgId: string): void {
  for (const listener of [...checks().listeners]) listener(orgId);
}

/** Hears of every step of an organisation's checks. @returns the way to stop */
export function onCheckStep(orgId: string, listener: () => void): () => void {
  const own = (changed: string) => {
    if (changed === orgId) listener();
  };
  checks().listeners.add(own);
  return () => checks().listeners.delete(own);
}

/**
 * Makes a check the organisation's running one for as long as it takes. There must be none.
 *
 * @param work counts the check's `done` up by `step`
 */
export function trackCheck(
  about: Pick<RunningCheck, "run" | "orgId" | "reason" | "questions" | "judged" | "total">,
  work: (step: () => void) => Promise<void>,
): RunningCheck {
  const { running } = checks();
  const check: RunningCheck = {
    ...about,
    done: 0,
    startedAt: now(),
    over: Promise.resolve(),
  };
  running.set(about.orgId, check);
  const step = () => {
    check.done += 1;
    checkStepped(about.orgId);
  };
  check.over = work(step).finally(() => {
    running.delete(about.orgId);
    checkStepped(about.orgId);
  });
  return check;
}
