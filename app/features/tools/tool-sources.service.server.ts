import type { Actor } from "~/core/actor";
import { tools as builtIn } from "./built-in/index.server";
import type { Tool } from "./tool";

export type { JsonSchema, Tool } from "./tool";

/** Brings further tools, such as those of the active plugins. */
export interface ToolSource {
  /** The tools that the actor's organisation has now. */
  list(actor: Pick<Actor, "orgId">): readonly Tool[];
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

/** A tool by its own name; undefined where the organization has none of that name. */
export function findTool(actor: Pick<Actor, "orgId">, name: string): Tool | undefined {
  return allTools(actor).find((tool) => tool.name === name);
}
