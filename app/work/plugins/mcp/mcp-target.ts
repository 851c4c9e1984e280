import type { McpServerRow } from "../plugins.repo.server";

export type McpTarget = Pick<
  McpServerRow,
  "id" | "orgId" | "title" | "transport" | "target" | "keys" | "usesOAuth"
>;
