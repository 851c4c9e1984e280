import type { McpServerRow } from "../plugins.repo.server";

/** What it takes to reach a server. */
export type McpTarget = Pick<
  McpServerRow,
  "id" | "orgId" | "title" | "transport" | "target" | "keys" | "usesOAuth"
>;
