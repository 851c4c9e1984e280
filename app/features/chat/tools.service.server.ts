import { tools } from "./tools/index.server";
import type { Tool } from "./tools/tool";

/** A tool as people choose it. */
export type ToolInfo = Pick<Tool, "name" | "title" | "effect">;

/** The tools there are, in the order the screens show. */
export function listTools(): ToolInfo[] {
  return tools.map(({ name, title, effect }) => ({ name, title, effect }));
}
