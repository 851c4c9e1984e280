import { now } from "~/core/clock.server";
import { clip } from "~/core/well-formed";
import type { ToolProgress } from "./progress.schema";

/** Minimum interval, in ms. */
const MIN_INTERVAL = 250;
/** Maximum reports per call. */
const MAX_REPORTS = 200;
const MESSAGE_LENGTH = 200;

/** Rate-limits and truncates progress, which may be untrusted. */
export function limitProgress(report: (progress: ToolProgress) => void): (progress: ToolProgress) => void {
  let last = Number.NEGATIVE_INFINITY;
  let count = 0;
  return ({ progress, total, message }) => {
    if (!Number.isFinite(progress) || count >= MAX_REPORTS || now() - last < MIN_INTERVAL) return;
    last = now();
    count += 1;
    report({
      progress,
      ...(total !== undefined && Number.isFinite(total) && total > 0 ? { total } : {}),
      ...(message ? { message: clip(message.toWellFormed().replaceAll(/\s+/g, " "), MESSAGE_LENGTH) } : {}),
    });
  };
}
