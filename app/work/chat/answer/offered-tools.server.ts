import type { LanguageModelV3FunctionTool } from "@ai-sdk/provider";
import { wireName } from "~/ai/models/wire-names.service.server";
import type { ToolInfo } from "~/ai/tools/tools.schema";
import { parseWellFormed } from "~/core/well-formed";

export function describeTools(tools: readonly ToolInfo[]): LanguageModelV3FunctionTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: "function" as const,
    name: wireName(name),
    description,
    inputSchema: inputSchema as LanguageModelV3FunctionTool["inputSchema"],
  }));
}

/** Parses a call's input; invalid JSON is kept as text for the user. */
export function readToolInput(text: string): { ok: true; input: unknown } | { ok: false; input: string } {
  try {
    return { ok: true, input: text.trim() === "" ? {} : parseWellFormed(text) };
  } catch {
    // A model's mistake, reported to the model.
    return { ok: false, input: text.toWellFormed() };
  }
}
