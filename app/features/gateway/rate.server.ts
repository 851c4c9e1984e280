import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { AppError } from "~/core/errors";

/** The window of a token's rate, in milliseconds. */
const WINDOW = 60_000;

/** When a token's calls of the window began, the oldest first. */
const begun = new Map<string, number[]>();

function forgetIdle(at: number): void {
  for (const [tokenId, times] of begun) if ((times.at(-1) ?? 0) <= at - WINDOW) begun.delete(tokenId);
}

/**
 * Counts a call against its token's own rate, over the last 60 seconds at any moment.
 *
 * @throws AppError `rate_limited` with the seconds until the next call may begin
 */
export function takeTurn({ tokenId, gateway }: Pick<Actor, "tokenId" | "gateway">): void {
  const limit = gateway?.requestsPerMinute;
  if (tokenId === undefined || limit === undefined || limit === null) return;
  const at = now();
  let times = begun.get(tokenId);
  if (!times) {
    if (begun.size >= 1000) forgetIdle(at);
    times = [];
    begun.set(tokenId, times);
  }
  const first = times.findIndex((time) => time > at - WINDOW);
  times.splice(0, first < 0 ? times.length : first);
  const oldest = times[times.length - limit];
  if (oldest !== undefined) {
    const retryAfter = Math.max(1, Math.ceil((oldest + WINDOW - at) / 1000));
    throw new AppError(
      "rate_limited",
      `This API token may begin ${limit} calls a minute. Try again in ${retryAfter} s.`,
      { retryAfter },
    );
  }
  times.push(at);
}
