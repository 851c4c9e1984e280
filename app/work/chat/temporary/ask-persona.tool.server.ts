import { z } from "zod";
import { OUTPUT_LIMIT } from "~/ai/tools/output-bounds.shared";
import type { Delegation, Tool, ToolContext } from "~/ai/tools/tool.shared";
import { hasOutsideContent } from "~/ai/tools/tools.service.server";
import { onAbort } from "~/core/abort";
import { AppError } from "~/core/errors";
import { clip } from "~/core/well-formed";
import { startTemporary } from "../answer/answers.server";
import { documentsIn } from "../answer/prompt.server";
import { textOf } from "../answer-state.shared";
import { ASK_PERSONA } from "../chat-choices.shared";
import { prepare } from "../plan-answer.server";
import { planUnstored } from "./temporary.service.server";

/** Of an answer, in characters. */
const MAX_ANSWER = 20_000;

const Input = z.object({
  persona: z.string().max(200).describe("Name of the persona"),
  question: z
    .string()
    .trim()
    .min(1)
    .max(20_000)
    .describe("The question with all that is needed to answer it"),
});
type Input = z.infer<typeof Input>;

/** What is left for the answer and for every one above it. */
function restOf(delegation: Delegation): number {
  const rest = delegation.limitMicros - delegation.spentMicros;
  return delegation.parent ? Math.min(rest, restOf(delegation.parent)) : rest;
}

function spend(delegation: Delegation | undefined, micros: number): void {
  for (let one = delegation; one; one = one.parent) one.spentMicros += micros;
}

async function ask({ persona: name, question: text }: Input, context: ToolContext, delegation: Delegation) {
  const { actor, signal, conversationId, messageId } = context;
  const persona = delegation.personas.find((one) => one.name.toLowerCase() === name.trim().toLowerCase());
  if (!persona)
    throw new AppError(
      "not_found",
      `"${name}" can't be asked. Ask one of: ${delegation.personas.map((one) => one.name).join(", ")}.`,
    );
  if (restOf(delegation) <= 0)
    throw new AppError(
      "budget_exceeded",
      "The budget of this answer's personas is used up. Answer without them.",
    );
  const { maxSteps } = delegation;
  const prepared = prepare(actor, { persona: persona.id, maxSteps, memory: false, parent: delegation });
  // Nobody is asked for an approval, as in a temporary chat.
  const messages = [{ role: "user" as const, content: text }];
  const planned = await planUnstored(actor, prepared, messages, { countsTo: { conversationId, messageId } });
  signal.throwIfAborted();
  let counted = 0;
  const live = startTemporary(actor, planned, (micros, answer) => {
    counted += micros ?? 0;
    spend(delegation, micros ?? 0);
    if (restOf(delegation) <= 0) answer.stop("stopped");
  });
  const forget = onAbort(signal, () => live.stop("stopped"));
  await live.done;
  forget();
  const { parts, error, metrics, status } = live.state;
  const costMicros = (metrics && "costMicros" in metrics ? metrics.costMicros : null) ?? 0;
  spend(delegation, Math.max(0, costMicros - counted));
  if (error) throw new AppError("unprocessable", `${persona.name} couldn't answer: ${error}`);
  return {
    persona: persona.name,
    answer: clip(textOf(parts), MAX_ANSWER),
    ...(status === "stopped" && { note: "It was stopped at the budget of this answer." }),
    // So that the conversation is restricted like the passages that the answer may repeat.
    documents: documentsIn(parts).map((id) => `/rag/${id}`),
    fromOutside: parts.some(
      (part) =>
        part.type === "tool" &&
        hasOutsideContent(actor, part.toolName, part.state === "done" ? part.output : undefined),
    ),
  };
}

/** Asks with the persona's own model, prompt and reading tools; nothing of it is stored but its usage. */
export const askPersona: Tool<typeof Input> = {
  name: ASK_PERSONA,
  title: "Ask a persona",
  description: "Asks another persona one question and returns its answer. It doesn't see this conversation.",
  effect: "reads",
  hasOutsideContent: (output) => (output as { fromOutside?: boolean }).fromOutside === true,
  chatOnly: true,
  input: Input,
  timeoutMs: 10 * 60_000,
  outputLimit: OUTPUT_LIMIT,
  async run(input, context) {
    const { delegation } = context;
    if (!delegation) throw new AppError("forbidden", "No persona can be asked here.");
    const turn = delegation.last.then(() => ask(input, context, delegation));
    delegation.last = turn.catch(() => undefined);
    return turn;
  },
};
