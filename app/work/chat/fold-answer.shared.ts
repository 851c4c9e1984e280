import type { StreamChunk } from "~/ai/tools/answer-stream.schema";
import { type AnswerState, withdrawn } from "./answer-state.shared";
import type { MessagePart, ToolPart } from "./chat.schema";

// A screen loads this with its first event.

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
    case "file": {
      const { mediaType, providerMetadata } = chunk;
      return [...parts, { type: "file", mediaType, ...providerMetadata.console }];
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
      return changeCall(parts, chunk.toolCallId, ({ approval, progress: _, questions, ...part }) => ({
        ...part,
        ...(questions && { questions: questions.map(withdrawn) }),
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
    case "data-tool-question":
      return changeCall(parts, chunk.id, ({ questions = [], ...part }) => ({
        ...part,
        questions: [...questions, chunk.data],
      }));
    case "data-tool-answer": {
      const { questionId, ...end } = chunk.data;
      return changeCall(parts, chunk.id, ({ questions = [], ...part }) => ({
        ...part,
        questions: questions.map((one) => (one.id === questionId ? { ...one, end } : one)),
      }));
    }
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
