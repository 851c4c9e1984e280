import type { LanguageModelV3FunctionTool } from "@ai-sdk/provider";
import { parseWellFormed } from "~/core/well-formed";
import type { ToolInfo } from "~/features/tools/tools.schema";
import { wireName } from "~/features/tools/wire-names.service.server";

/** Tools as a model API takes them. */
export function describeTools(tools: readonly ToolInfo[]): LanguageModelV3FunctionTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: "function" as const,
    name: wireName(name),
    description,
    inputSchema: inputSchema as LanguageModelV3FunctionTool["inputSchema"],
  }));
}

/** The JSON a model wrote as a call's input; what isn't JSON stays as its text, for the person to see. */
export function readToolInput(text: string): { ok: true; input: unknown } | { ok: false; input: string } {
  try {
    return { ok: true, input: text.trim() === "" ? {} : parseWellFormed(text) };
  } catch {
    // A model's mistake, not our error: the caller reports it to the model.
    return { ok: false, input: text.toWellFormed() };
  }
}
