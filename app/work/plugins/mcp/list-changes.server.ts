import { now } from "~/core/clock.server";
import { log } from "~/core/log.server";
import type { McpTarget } from "./mcp-target";

/** Minimum interval between notified checks, in ms. */
const MIN_INTERVAL = 60_000;

type Check = (server: Pick<McpTarget, "id" | "orgId">) => Promise<void>;

let check: Check | undefined;
const checkedAt = new Map<string, number>();

/** @returns a stop function */
export function followListChanges(onChange: Check): () => void {
  check = onChange;
  return () => {
    check = undefined;
    checkedAt.clear();
  };
}

/** On a change notification; scheduled checks cover those that come too soon. */
export function onListChanged({ id, orgId }: Pick<McpTarget, "id" | "orgId">): void {
  const last = checkedAt.get(id) ?? Number.NEGATIVE_INFINITY;
  if (!check || now() - last < MIN_INTERVAL) return;
  checkedAt.set(id, now());
  check({ id, orgId }).catch((error: unknown) =>
    log.warn("the changed tools of an MCP server weren't read", { purpose: `plugin:${id}`, error }),
  );
}
