import type { ZodType, z } from "zod";
import type { Tool, ToolContext } from "~/ai/tools/tool.shared";
import { PluginManifest } from "./manifest.schema";

/** The only interface of a bundled plugin: requests pass the guard, keys stay references. */
export interface PluginContext extends Pick<ToolContext, "actor" | "signal" | "report" | "keepFile"> {
  /** With defaults. */
  settings: Readonly<Record<string, unknown>>;
  /** Declared hosts only, within 30 s and 10 MB. */
  fetch: typeof fetch;
  /** Header value for an origin; undefined if unset. @throws AppError */
  key(setting: string, origin: string): string | undefined;
  /** By a Database key, within 20 s and 10 MB. @throws AppError */
  queryDatabase(setting: string, query: ReadOnlyQuery): Promise<QueryResult>;
  /** Within limits and budgets. @throws AppError */
  generate(request: TextRequest): Promise<GeneratedText>;
}

interface GeneratedText {
  text: string;
  model: string;
  truncated: boolean;
  /** What the provider's own search found. */
  sources: { url: string; title: string }[];
}

interface TextRequest {
  /** Blank for the default one. */
  model: string;
  system: string;
  prompt: string;
  /** In characters; the model is stopped there. */
  maxLength: number;
  /** The model's provider searches the web itself. */
  searchesWeb?: boolean;
}

interface ReadOnlyQuery {
  sql: string;
  /** Values of $1, $2, … */
  parameters: (string | number | boolean | null)[];
  maxRows: number;
}

export interface QueryResult {
  rows: unknown[];
  rowCount: number;
  truncated: boolean;
}

/** Its name lacks the plugin's prefix. */
export interface PluginTool<Input extends ZodType = ZodType>
  extends Pick<Tool<Input>, "name" | "title" | "description" | "effect" | "input" | "hasOutsideContent"> {
  /** For effect `outside`: a call only fetches, and leaves nothing there. */
  onlyFetches?: true;
  /** Default 30,000. */
  timeoutMs?: number;
  /** @returns JSON @throws AppError for model and user */
  run(input: z.output<Input>, context: PluginContext): Promise<unknown>;
}

export interface BundledPlugin {
  manifest: PluginManifest;
  tools: readonly PluginTool[];
}

export function definePluginTool<Input extends ZodType>(tool: PluginTool<Input>): PluginTool {
  return tool as unknown as PluginTool;
}

/** @throws ZodError for an invalid manifest */
export function definePlugin(
  manifest: z.input<typeof PluginManifest>,
  tools: readonly PluginTool[],
): BundledPlugin {
  return { manifest: PluginManifest.parse(manifest), tools };
}
