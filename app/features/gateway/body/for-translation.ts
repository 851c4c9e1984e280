import { AppError } from "~/core/errors";
import { type ProtocolName, protocolOf } from "../protocols";

/** Each value from the thread is cloned in the event loop, 30,000 within 20 ms. */
const MAX_VALUES = 30_000;

/** Counts values up to `most`; depth is bounded. */
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
 * The members that a translation reads: large requests stay out of the event loop.
 * @throws AppError `invalid` if it is still too large
 */
export function forTranslation(protocol: ProtocolName, request: unknown): unknown {
  const read = new Set(protocolOf(protocol).translation?.members);
  if (typeof request !== "object" || request === null) return request;
  const kept = Object.fromEntries(Object.entries(request).filter(([name]) => read.has(name)));
  if (count(kept, MAX_VALUES) <= MAX_VALUES) return kept;
  throw new AppError(
    "invalid",
    `This model's provider uses another protocol, which allows at most ${MAX_VALUES} values in a request.`,
  );
}
