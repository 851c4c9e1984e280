import { now } from "~/core/clock.server";
import { kept } from "~/core/kept.server";
import { publish } from "~/platform/events/events.service.server";

export interface RunningCheck {
  run: string;
  orgId: string;
  reason: "asked" | "switch";
  questions: number;
  judged: number;
  done: number;
  total: number;
  startedAt: number;
  /** Resolves when the check ends; never rejects. */
  finished: Promise<void>;
}

const checks = () => kept("retrieval checks", () => new Map<string, RunningCheck>());

export function findTrackedCheck(orgId: string): RunningCheck | undefined {
  return checks().get(orgId);
}

export function publishCheckProgress(orgId: string): void {
  publish({ topic: "retrieval-checks", orgId });
}

/** Tracks the organization's only running check. @param work reports progress through `step` */
export function trackCheck(
  about: Pick<RunningCheck, "run" | "orgId" | "reason" | "questions" | "judged" | "total">,
  work: (step: () => void) => Promise<void>,
): Promise<void> {
  const running = checks();
  const check: RunningCheck = {
    ...about,
    done: 0,
    startedAt: now(),
    finished: Promise.resolve(),
  };
  running.set(about.orgId, check);
  publishCheckProgress(about.orgId);
  const step = () => {
    check.done += 1;
    publishCheckProgress(about.orgId);
  };
  const result = work(step).finally(() => {
    running.delete(about.orgId);
    publishCheckProgress(about.orgId);
  });
  check.finished = result.catch(() => undefined);
  return result;
}
