import type { StepState } from "~/ai/models/step-state.schema";
import type { AnswerMetrics, StreamChunk } from "~/ai/tools/answer-stream.schema";
import type { ApprovalReason } from "~/ai/tools/approval-reasons.shared";
import type { Question } from "~/ai/tools/question.schema";
import type { ChatMessage, MessagePart, MessageStatus, ToolPart } from "./chat.schema";

// This imports only types of the schemas, so that the browser has answers without loading zod.

export interface AnswerState {
  parts: MessagePart[];
  status: MessageStatus;
  error: string | null;
  metrics: Partial<AnswerMetrics> | null;
  /** What it waits for, until something of it comes. */
  waiting?: string;
  /** On the server alone. */
  stepStates?: StepState[];
}

export const emptyAnswer = (): AnswerState => ({
  parts: [],
  status: "streaming",
  error: null,
  metrics: null,
});

/** The text of an answer without reasoning and tools, as a client that appends bare text sees it. */
export function textOf(parts: readonly MessagePart[]): string {
  return parts
    .filter((part) => part.type === "text")
    .map((part) => part.text)
    .join("\n\n");
}

function pendingCalls(parts: readonly MessagePart[]): ToolPart[] {
  const step = parts.findLastIndex((part) => part.type === "step");
  return parts
    .slice(step + 1)
    .filter((part) => part.type === "tool" && part.approval !== undefined) as ToolPart[];
}

/** The events of the decisions on the last step's calls. Those that have run are left out. */
export function decisionEvents(parts: readonly MessagePart[]): StreamChunk[] {
  return pendingCalls(parts).flatMap(
    ({ toolCallId, toolName, state, input, approval, error = "" }): StreamChunk[] => {
      if (approval?.decision === "refused")
        return [{ type: "tool-output-denied", toolCallId, errorText: error }];
      if (approval?.decision !== "approved" || state !== "waiting") return [];
      const { edited = false } = approval;
      return [{ type: "tool-input-available", toolCallId, toolName, input, approval: { edited } }];
    },
  );
}

export const approvedCalls = (parts: readonly MessagePart[]): ToolPart[] =>
  pendingCalls(parts).filter(
    ({ state, approval, begun }) => state === "running" && approval?.decision === "approved" && !begun,
  );

export const requestApproval = (toolCallId: string, reason: ApprovalReason): StreamChunk => ({
  type: "tool-approval-request",
  approvalId: toolCallId,
  toolCallId,
  reason,
});

/** Requests to decide on calls whose effect a restart left unknown. */
export function interruptionEvents(parts: readonly MessagePart[]): StreamChunk[] {
  return parts.flatMap((part): StreamChunk[] =>
    part.type === "tool" && part.state === "running" && part.begun
      ? [requestApproval(part.toolCallId, "interrupted")]
      : [],
  );
}

/** Whether all calls of the last step are decided and the answer can continue. */
export const canContinue = (parts: readonly MessagePart[]): boolean =>
  pendingCalls(parts).length > 0 && !parts.some(isUndecided) && interruptionEvents(parts).length === 0;

export const isUndecided = (part: MessagePart): part is ToolPart & { state: "waiting" } =>
  part.type === "tool" && part.state === "waiting" && part.approval?.decision === undefined;

/** A question whose call has ended without it. */
export const withdrawn = (question: Question): Question => ({ end: { outcome: "withdrawn" }, ...question });

/** What a running call asks the person now. */
export const openQuestions = ({ state, questions = [] }: ToolPart): Question[] =>
  state === "running" ? questions.filter(({ end }) => end === undefined) : [];

export function withAnswer({ waiting: _, ...base }: ChatMessage, answer: AnswerState): ChatMessage {
  const metrics =
    answer.metrics && "steps" in answer.metrics ? (answer.metrics as ChatMessage["metrics"]) : null;
  return {
    ...base,
    status: answer.status,
    parts: answer.parts,
    content: textOf(answer.parts),
    error: answer.error,
    metrics,
    ...(answer.waiting && { waiting: answer.waiting }),
  };
}

/** Whether its question, or what its tools found, was refused for what it says: sent again, it would be refused again. */
export const isRefused = ({ metrics }: { metrics?: Pick<AnswerMetrics, "refused"> | null }): boolean =>
  metrics?.refused === "request";

/** Whether an answer was cut off and holds something that can go on. */
export const canGoOn = ({
  role,
  status,
  metrics,
  parts,
}: Pick<ChatMessage, "role" | "status" | "metrics" | "parts">): boolean =>
  role === "assistant" &&
  !isRefused({ metrics }) &&
  (status === "complete"
    ? Boolean(metrics?.lengthReached || metrics?.mayBeCut)
    : ["stopped", "interrupted", "failed"].includes(status)) &&
  parts.some((part) => part.type === "tool" || (part.type === "text" && part.text !== ""));

export const MAYBE_EFFECTIVE = "The call may have taken effect.";

/** Marks calls that a stop left without a result. */
export function closeOpenTools(parts: readonly MessagePart[], reason: string): MessagePart[] {
  return parts.map((part) => {
    if (part.type !== "tool" || part.state === "done" || part.state === "failed") return part;
    const { progress: _, begun, questions, ...open } = part;
    const error = begun ? `${reason} ${MAYBE_EFFECTIVE}` : reason;
    return {
      ...open,
      ...(questions && { questions: questions.map(withdrawn) }),
      state: "failed",
      stopped: true,
      error,
    };
  });
}

/** A message of text alone, as one that isn't stored. @param at its time, in ISO 8601 */
export const plainMessage = (
  { id, role, content }: Pick<ChatMessage, "id" | "role" | "content">,
  at: string,
): ChatMessage => ({
  id,
  role,
  status: "complete",
  content,
  parts: content === "" ? [] : [{ type: "text", id: "0", text: content }],
  model: null,
  persona: null,
  error: null,
  metrics: null,
  parentId: null,
  variants: [],
  feedback: null,
  timestamp: at,
});
