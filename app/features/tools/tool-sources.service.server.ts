import type { Actor } from "~/core/actor";
import { tools as builtIn } from "./built-in/index.server";
import type { Tool } from "./tool";

export type { JsonSchema, Tool, ToolContext } from "./tool";

/** Brings further tools, such as those of the active plugins. */
export interface ToolSource {
  list(actor: Pick<Actor, "orgId">): readonly Tool[];
  /** Why a tool of this source is gone and how to have it back; undefined where the name isn't of this source. */
  explainMissing?(actor: Pick<Actor, "orgId">, name: string): string | undefined;
}

// Development evaluates modules again; sources stay registered.
const holder = globalThis as typeof globalThis & { quarterdeckToolSources?: Set<ToolSource> };

function sources(): Set<ToolSource> {
  holder.quarterdeckToolSources ??= new Set();
  return holder.quarterdeckToolSources;
}

/** Adds a source of tools. @returns the function that removes it */
export function registerToolSource(source: ToolSource): () => void {
  sources().add(source);
  return () => void sources().delete(source);
}

/** Every tool of an organisation, built-in ones first. Of two with one name the first stands. */
export function allTools(actor: Pick<Actor, "orgId">): readonly Tool[] {
  const byName = new Map<string, Tool>();
  for (const tool of [...builtIn, ...[...sources()].flatMap((source) => source.list(actor))]) {
    if (!byName.has(tool.name)) byName.set(tool.name, tool);
  }
  return [...byName.values()];
}

export function findTool(actor: Pick<Actor, "orgId">, name: string): Tool | undefined {
  return allTools(actor).find((tool) => tool.name === name);
}

/** Says for a person why there is no tool of that name, and what to do where a plugin brings it. */
export function explainMissingTool(actor: Pick<Actor, "orgId">, name: string): string {
  for (const source of sources()) {
    const reason = source.explainMissing?.(actor, name);
    if (reason !== undefined) return `Tool "${name}" can't be used. ${reason}`;
  }
  return `Tool "${name}" not found.`;
}

/** Why tools can't be used, by the names of those that the organization doesn't have now. */
export function explainMissingTools(
  actor: Pick<Actor, "orgId">,
  names: readonly string[],
): Record<string, string> {
  if (names.length === 0) return {};
  const present = new Set(allTools(actor).map(({ name }) => name));
  const missing = [...new Set(names)].filter((name) => !present.has(name));
  return Object.fromEntries(missing.map((name) => [name, explainMissingTool(actor, name)]));
}
