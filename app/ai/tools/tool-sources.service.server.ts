import { kept } from "~/core/process.server";
import type { Tool, ToolOwner } from "./tool.shared";

/** A source of tools, such as plugins. */
export interface ToolSource {
  list(actor: ToolOwner): readonly Tool[];
  /** Undefined for another source's name. */
  explainMissing?(actor: ToolOwner, name: string): string | undefined;
}

const sources = () => kept("tool sources", () => new Set<ToolSource>());
const builtIn = () => kept("built-in tools", () => ({ tools: [] as readonly Tool[] }));

/** At the start: tools of the console itself, which come before those of other sources. */
export function offerBuiltIn(tools: readonly Tool[]): void {
  builtIn().tools = tools;
}

export const builtInTools = (): string[] => builtIn().tools.map(({ name }) => name);

/** @returns a function to unregister */
export function registerToolSource(source: ToolSource): () => void {
  sources().add(source);
  return () => void sources().delete(source);
}

export function allTools(actor: ToolOwner): readonly Tool[] {
  const byName = new Map<string, Tool>();
  for (const tool of [...builtIn().tools, ...[...sources()].flatMap((source) => source.list(actor))]) {
    if (!byName.has(tool.name)) byName.set(tool.name, tool);
  }
  return [...byName.values()];
}

export function findTool(actor: ToolOwner, name: string): Tool | undefined {
  return allTools(actor).find((tool) => tool.name === name);
}

/** With a remedy if a plugin brings it. */
export function explainMissingTool(actor: ToolOwner, name: string): string {
  const [reason] = [...sources()].flatMap((source) => source.explainMissing?.(actor, name) ?? []);
  return reason === undefined ? `Tool "${name}" not found.` : `Tool "${name}" can't be used. ${reason}`;
}

/** Reasons by missing tool. */
export function explainMissingTools(actor: ToolOwner, names: readonly string[]): Record<string, string> {
  if (names.length === 0) return {};
  const present = new Set(allTools(actor).map(({ name }) => name));
  const missing = [...new Set(names)].filter((name) => !present.has(name));
  return Object.fromEntries(missing.map((name) => [name, explainMissingTool(actor, name)]));
}
