import { AppError } from "~/core/errors";
import { type ProtocolName, protocolOf } from "../protocols/index";

/** Limit for values from a worker: cloning 30,000 blocks the event loop for 20 ms. */
const MAX_VALUES = 30_000;

/** Counts values, stopping soon after `max`; depth is bounded. */
function count(value: unknown, max: number): number {
  if (typeof value !== "object" || value === null) return 1;
  let values = 1;
  for (const item of Array.isArray(value) ? value : Object.values(value)) {
    values += count(item, max - values);
    if (values > max) break;
  }
  return values;
}

/**
 * Picks the members that a translation reads, to keep large requests out of the event loop.
 * @throws AppError `invalid` if it is still too large
 */
export function pickTranslatable(protocol: ProtocolName, request: unknown): unknown {
  const members = new Set(protocolOf(protocol).translation?.members);
  if (typeof request !== "object" || request === null) return request;
  const picked = Object.fromEntries(Object.entries(request).filter(([name]) => members.has(name)));
  if (count(picked, MAX_VALUES) <= MAX_VALUES) return picked;
  throw new AppError(
    "invalid",
    `This model's provider uses another protocol, which allows at most ${MAX_VALUES} values in a request.`,
  );
}
