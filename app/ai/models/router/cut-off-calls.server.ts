import type { RouteRecord } from "~/platform/catalogue/models.schema";
import type { CallSize } from "./spending.server";
import type { RouteTarget } from "./targets.server";

/** A call whose caller stopped it before it answered: its provider has the prompt, and may charge for it. */
interface CutOffCall {
  target: RouteTarget;
  /** Estimated, as budgets count them. */
  tokens: CallSize;
}

const calls = new WeakMap<RouteRecord, CutOffCall>();

export const noteCutOff = (record: RouteRecord, call: CutOffCall): void => void calls.set(record, call);

/** By the record of its route; undefined if the call wasn't cut off, or nobody estimates its size. */
export const cutOffCall = (record: RouteRecord): CutOffCall | undefined => calls.get(record);
