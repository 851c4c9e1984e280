import type { StepState } from "~/ai/models/step-state.schema";
import type { AnswerMetrics, StreamChunk } from "~/ai/tools/answer-stream.schema";
import type { ApprovalReason } from "~/ai/tools/approval-reasons.shared";
import type { ChatMessage, MessagePart, MessageStatus, ToolPart } from "./chat.schema";

// This imports only types of the schemas, so that the browser folds answers without loading zod.

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

function changeLast<P extends MessagePart>(
  parts: readonly MessagePart[],
  matches: (part: MessagePart) => part is P,
  change: (part: P) => MessagePart,
): MessagePart[] {
  const at = parts.findLastIndex(matches);
  return parts.map((part, index) => (index === at && matches(part) ? change(part) : part));
}

type TextPart = Extract<MessagePart, { type: "text" | "reasoning" }>;

function changeText(
  parts: readonly MessagePart[],
  type: TextPart["type"],
  id: string,
  change: (part: TextPart) => MessagePart,
): MessagePart[] {
  const isText = (part: MessagePart): part is TextPart => part.type === type && part.id === id;
  return changeLast(parts, isText, change);
}

function changeCall(
  parts: readonly MessagePart[],
  id: string,
  change: (part: ToolPart) => MessagePart,
): MessagePart[] {
  const isCall = (part: MessagePart): part is ToolPart => part.type === "tool" && part.toolCallId === id;
  return changeLast(parts, isCall, change);
}

export const changeTool = (parts: readonly MessagePart[], toolCallId: string, change: Partial<ToolPart>) =>
  changeCall(parts, toolCallId, (part) => ({ ...part, ...change }));

export const decideTool = (
  parts: readonly MessagePart[],
  toolCallId: string,
  decision: "approved" | "refused",
  edited = false,
): MessagePart[] =>
  changeCall(parts, toolCallId, (part) => {
    const { approval } = part;
    return approval ? { ...part, approval: { ...approval, decision, ...(edited && { edited }) } } : part;
  });

const endTool = (parts: readonly MessagePart[], toolCallId: string, end: Partial<ToolPart>): MessagePart[] =>
  changeCall(parts, toolCallId, ({ progress: _, begun: __, ...part }) => ({ ...part, ...end }));

function foldParts(parts: MessagePart[], chunk: StreamChunk): MessagePart[] {
  switch (chunk.type) {
    case "start-step":
      return [...parts, { type: "step" }];
    case "text-start":
      return [...parts, { type: "text", id: chunk.id, text: "" }];
    case "reasoning-start":
      return [...parts, { type: "reasoning", id: chunk.id, text: "" }];
    case "text-delta":
    case "reasoning-delta": {
      const type = chunk.type === "text-delta" ? "text" : "reasoning";
      return changeText(parts, type, chunk.id, (part) => ({ ...part, text: part.text + chunk.delta }));
    }
    case "reasoning-end": {
      const durationMs = chunk.providerMetadata?.console?.durationMs;
      if (durationMs === undefined) return parts;
      return changeText(parts, "reasoning", chunk.id, (part) => ({ ...part, durationMs }));
    }
    case "tool-input-start": {
      const { toolCallId, toolName } = chunk;
      return [...parts, { type: "tool", toolCallId, toolName, state: "writing", input: "" }];
    }
    case "tool-input-delta":
      return changeCall(parts, chunk.toolCallId, (part) => ({
        ...part,
        input: `${part.input}${chunk.inputTextDelta}`,
      }));
    case "tool-input-available":
    case "tool-input-error": {
      const { toolCallId, toolName, input } = chunk;
      const exists = parts.some((part) => part.type === "tool" && part.toolCallId === toolCallId);
      const all: MessagePart[] = exists
        ? parts
        : [...parts, { type: "tool", toolCallId, toolName, state: "writing", input }];
      if (chunk.type === "tool-input-error")
        return changeTool(all, toolCallId, { input, state: "failed", error: chunk.errorText });
      const running = changeTool(all, toolCallId, { input, state: "running", begun: undefined });
      return chunk.approval ? decideTool(running, toolCallId, "approved", chunk.approval.edited) : running;
    }
    case "tool-approval-request":
      return changeCall(parts, chunk.toolCallId, ({ approval, progress: _, ...part }) => ({
        ...part,
        state: "waiting",
        approval: { reason: chunk.reason, ...(approval?.edited ? { edited: true } : {}) },
      }));
    case "tool-output-denied": {
      const failed = changeTool(parts, chunk.toolCallId, { state: "failed", error: chunk.errorText });
      return decideTool(failed, chunk.toolCallId, "refused");
    }
    case "tool-output-available":
      return endTool(parts, chunk.toolCallId, { output: chunk.output, state: "done" });
    case "tool-output-error":
      return endTool(parts, chunk.toolCallId, { error: chunk.errorText, state: "failed" });
    case "data-tool-progress":
      return changeTool(parts, chunk.id, { progress: chunk.data });
    case "data-tool-begun":
      return changeTool(parts, chunk.id, { begun: true });
    default:
      return parts;
  }
}

/** Adds one event to an answer. Shared by server and browser, so that stored and resumed answers are the same. */
export function foldChunk({ waiting: _, ...state }: AnswerState, chunk: StreamChunk): AnswerState {
  switch (chunk.type) {
    case "data-waiting":
      return { ...state, waiting: chunk.data.text };
    case "start":
      // After its approvals, or a restart, an answer continues.
      return { ...state, status: "streaming" };
    case "tool-approval-request":
      return { ...state, status: "waiting", parts: foldParts(state.parts, chunk) };
    case "data-step-state":
      // A step that goes on has a newer one.
      return {
        ...state,
        stepStates: [...(state.stepStates ?? []).filter(({ step }) => step !== chunk.data.step), chunk.data],
      };
    case "error":
      return { ...state, status: "failed", error: chunk.errorText };
    case "abort":
      return { ...state, status: chunk.reason === "interrupted" ? "interrupted" : "stopped" };
    case "finish":
      return {
        ...state,
        status: state.status === "streaming" ? "complete" : state.status,
        metrics: chunk.messageMetadata,
      };
    default:
      return { ...state, parts: foldParts(state.parts, chunk) };
  }
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

/** Whether an answer was cut off and holds something that can go on. */
export const canGoOn = ({
  role,
  status,
  metrics,
  parts,
}: Pick<ChatMessage, "role" | "status" | "metrics" | "parts">): boolean =>
  role === "assistant" &&
  (status === "complete"
    ? Boolean(metrics?.lengthReached || metrics?.mayBeCut)
    : ["stopped", "interrupted", "failed"].includes(status)) &&
  parts.some((part) => part.type === "tool" || (part.type === "text" && part.text !== ""));

export const MAYBE_EFFECTIVE = "The call may have taken effect.";

/** Marks calls that a stop left without a result as failed. */
export function closeOpenTools(parts: readonly MessagePart[], reason: string): MessagePart[] {
  return parts.map((part) => {
    if (part.type !== "tool" || part.state === "done" || part.state === "failed") return part;
    const { progress: _, begun, ...open } = part;
    return { ...open, state: "failed", error: begun ? `${reason} ${MAYBE_EFFECTIVE}` : reason };
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
