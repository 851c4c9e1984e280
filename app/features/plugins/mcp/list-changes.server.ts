import { now } from "~/core/clock.server";
import { log } from "~/core/log.server";
import type { McpTarget } from "./mcp-target";

/** Least time between two checks that a server's notifications cause, in ms. */
const BETWEEN = 60_000;

type Check = (server: Pick<McpTarget, "id" | "orgId">) => Promise<void>;

let check: Check | undefined;
const checkedAt = new Map<string, number>();

/** Sets what checks a server's tools. @returns the way to stop */
export function followListChanges(follow: Check): () => void {
  check = follow;
  return () => {
    check = undefined;
    checkedAt.clear();
  };
}

/** For a server's notification that its tools have changed. The next check by schedule finds what comes too soon. */
export function noteListChanged({ id, orgId }: Pick<McpTarget, "id" | "orgId">): void {
  const last = checkedAt.get(id) ?? Number.NEGATIVE_INFINITY;
  if (!check || now() - last < BETWEEN) return;
  checkedAt.set(id, now());
  check({ id, orgId }).catch((error: unknown) =>
    log.warn("the changed tools of an MCP server weren't read", { purpose: `plugin:${id}`, error }),
  );
}
