import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { RateLimiter } from "~/core/rate-limiter.server";

const limiter = new RateLimiter();

/** Rate limit per token. @throws AppError `rate_limited` with `retryAfter` */
export function assertWithinRate({ tokenId, gateway }: Pick<Actor, "tokenId" | "gateway">): void {
  const limit = gateway?.requestsPerMinute;
  if (tokenId === undefined || limit === undefined || limit === null) return;
  const { allowed, retryMs } = limiter.take(tokenId, { limit, windowMs: 60_000 });
  if (allowed) return;
  const retryAfter = Math.max(1, Math.ceil(retryMs / 1000));
  throw new AppError(
    "rate_limited",
    `This API token is limited to ${limit} calls per minute. Try again in ${retryAfter} s.`,
    { retryAfter },
  );
}
