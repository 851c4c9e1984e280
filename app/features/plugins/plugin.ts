import type { ZodType, z } from "zod";
import type { Actor } from "~/core/actor";
import type { Effect } from "~/features/tools/effects.schema";
import type { ToolContext } from "~/features/tools/tool-sources.service.server";
import type { TextRequest, WrittenText } from "./generate-text.server";
import { PluginManifest } from "./manifest.schema";

/** What a bundled plugin's tool can use. There is no other way out: requests pass the guard, keys stay references. */
export interface PluginContext {
  /** On whose behalf; services check their rights. */
  actor: Actor;
  signal: AbortSignal;
  /** The values of the manifest's settings, defaults included. */
  settings: Readonly<Record<string, unknown>>;
  /** Reaches the hosts that the manifest declares, within 30 s and 10 MB. */
  fetch: typeof fetch;
  /** A header value made of a key setting for an origin; undefined where none was chosen. @throws AppError */
  key(setting: string, origin: string): string | undefined;
  /** Reads from the PostgreSQL that a key setting of kind Database names, within 20 s and 10 MB. @throws AppError */
  queryDatabase(setting: string, query: ReadOnlyQuery): Promise<QueryResult>;
  /** One answer of a model of the console, with its limits and budgets. @throws AppError */
  generate(request: TextRequest): Promise<WrittenText>;
  /** Shows how far the call is. */
  report: ToolContext["report"];
  /** Keeps an image or another file with the conversation or run, for a result to name in `files`. */
  keepFile: ToolContext["keepFile"];
}

interface ReadOnlyQuery {
  sql: string;
  /** Values of $1, $2 and so on. */
  parameters: (string | number | boolean | null)[];
  maxRows: number;
}

export interface QueryResult {
  rows: unknown[];
  rowCount: number;
  truncated: boolean;
}

export interface PluginTool<Input extends ZodType = ZodType> {
  /** Without the plugin's id, which goes before it: `read` of `web-scraping` is `web-scraping.read`. */
  name: string;
  title: string;
  description: string;
  effect: Effect;
  input: Input;
  /** Whether its result holds text of people outside; by default where the effect is `outside`. */
  hasOutsideContent?: boolean;
  /** Default 30,000. */
  timeoutMs?: number;
  /** @returns JSON @throws AppError with a message that the model and the person can use */
  run(input: z.output<Input>, context: PluginContext): Promise<unknown>;
}

export interface BundledPlugin {
  manifest: PluginManifest;
  tools: readonly PluginTool[];
}

/** Types a tool by its input. */
export function definePluginTool<Input extends ZodType>(tool: PluginTool<Input>): PluginTool {
  return tool as unknown as PluginTool;
}

/** A plugin that comes with the console. @throws ZodError for a manifest that isn't valid */
export function definePlugin(
  manifest: z.input<typeof PluginManifest>,
  tools: readonly PluginTool[],
): BundledPlugin {
  return { manifest: PluginManifest.parse(manifest), tools };
}
