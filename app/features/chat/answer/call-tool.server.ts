import type { LanguageModelV3FunctionTool } from "@ai-sdk/provider";
import { z } from "zod";
import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { clip, parseWellFormed } from "~/core/well-formed";
import { sharingRefusal } from "../sharing.schema";
import type { Tool } from "../tools/tool";
import type { SharingGuard } from "./sharing-guard.server";
import { wireName } from "./wire-names.server";

/** Characters of a tool's result that a model and a screen get; tools bound their own output below this. */
const RESULT_LIMIT = 60_000;

export type ToolOutcome = { ok: true; output: unknown } | { ok: false; error: string };

/** The tools as a model is told of them. */
export function describeTools(tools: readonly Tool[]): LanguageModelV3FunctionTool[] {
  return tools.map((tool) => {
    const { $schema: _, ...inputSchema } = z.toJSONSchema(tool.input, {
      io: "input",
      unrepresentable: "any",
    });
    return {
      type: "function" as const,
      name: wireName(tool.name),
      description: tool.description,
      inputSchema: inputSchema as LanguageModelV3FunctionTool["inputSchema"],
    };
  });
}

/** The JSON a model wrote as a call's input; what isn't JSON stays as its text, for the person to see. */
export function parseToolInput(text: string): { ok: true; input: unknown } | { ok: false; input: string } {
  try {
    return { ok: true, input: text.trim() === "" ? {} : parseWellFormed(text) };
  } catch {
    // A model's slip, not an error of ours: the caller tells the model.
    return { ok: false, input: text.toWellFormed() };
  }
}

function explain(error: unknown, tool: Tool, signal: AbortSignal): string {
  if (error instanceof AppError) return error.message;
  if (signal.aborted) return `${tool.name} took longer than ${tool.timeoutMs / 1000} s and was stopped.`;
  log.error("a tool failed unexpectedly", { tool: tool.name, error });
  return `${tool.name} failed unexpectedly.`;
}

interface CallContext {
  actor: Actor;
  toolCallId: string;
  guard: SharingGuard;
  /** Fires when the person stops the answer. */
  stopped: AbortSignal;
}

/** Why a call may not run; undefined where it may. */
function refuseSharing(tool: Tool, input: unknown, guard: SharingGuard): string | undefined {
  const effect = tool.effectOf?.(input) ?? tool.effect;
  if (effect === "reads" || effect === "private") return undefined;
  if (!guard.isRestricted() || guard.isAllowed()) return undefined;
  return sharingRefusal(tool.name, effect);
}

/**
 * Runs one call of a tool within its limits. It never throws: a failure is a result that the model can react to.
 *
 * @param input what the model wrote, not yet trusted
 */
export async function callTool(
  tool: Tool,
  input: unknown,
  { actor, toolCallId, guard, stopped }: CallContext,
): Promise<ToolOutcome> {
  const parsed = tool.input.safeParse(input);
  if (!parsed.success) {
    const issues = parsed.error.issues
      .slice(0, 5)
      .map((issue) => `${issue.path.join(".") || "input"}: ${issue.message}`);
    return { ok: false, error: `The input is not valid: ${issues.join("; ")}` };
  }
  const refusal = refuseSharing(tool, parsed.data, guard);
  if (refusal) {
    log.warn("a tool call was refused: the conversation is restricted", { tool: tool.name, toolCallId });
    return { ok: false, error: refusal };
  }
  const timeout = AbortSignal.timeout(tool.timeoutMs);
  const signal = AbortSignal.any([timeout, stopped]);
  // A tool that ignores its signal must not hold the answer.
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(new Error("aborted"));
    signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
  });
  aborted.catch(() => undefined);
  try {
    const { isRestricted } = guard;
    const work = tool.run(parsed.data, { actor, signal, toolCallId, isRestricted });
    const output = await Promise.race([work, aborted]);
    const json = JSON.stringify(output ?? null);
    guard.note(output);
    if (json.length <= RESULT_LIMIT) return { ok: true, output: parseWellFormed(json) };
    return { ok: true, output: { truncated: true, text: clip(json.toWellFormed(), RESULT_LIMIT) } };
  } catch (error) {
    if (stopped.aborted) return { ok: false, error: "The answer was stopped." };
    return { ok: false, error: explain(error, tool, signal) };
  }
}
