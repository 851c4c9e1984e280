import type { AnswerMetrics, StreamChunk } from "~/ai/tools/answer-stream.schema";
import { type Answer, events, text } from "~/platform/endpoint/endpoint.shared";
import type { ChatMessage, MessagePart, MessageStatus, ToolPart } from "./chat.schema";

// Separate from the folding of events, which the browser loads only when an answer begins.

/** The content of an answer so far. */
export interface AnswerState {
  parts: MessagePart[];
  status: MessageStatus;
  error: string | null;
  metrics: Partial<AnswerMetrics> | null;
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

// Imports only types of the schemas, so that the browser folds answers without loading zod.

function changeLastPart<T extends MessagePart["type"]>(
  parts: readonly MessagePart[],
  matches: (part: MessagePart) => boolean,
  change: (part: Extract<MessagePart, { type: T }>) => MessagePart,
): MessagePart[] {
  const at = parts.findLastIndex(matches);
  const part = parts[at];
  if (!part) return [...parts];
  const next = [...parts];
  next[at] = change(part as Extract<MessagePart, { type: T }>);
  return next;
}

export function changeTool(
  parts: readonly MessagePart[],
  toolCallId: string,
  change: Partial<Extract<MessagePart, { type: "tool" }>>,
): MessagePart[] {
  return changeLastPart<"tool">(
    parts,
    (part) => part.type === "tool" && part.toolCallId === toolCallId,
    (part) => ({ ...part, ...change }),
  );
}

export function decideTool(
  parts: readonly MessagePart[],
  toolCallId: string,
  decision: "approved" | "refused",
  edited = false,
): MessagePart[] {
  return changeLastPart<"tool">(
    parts,
    (part) => part.type === "tool" && part.toolCallId === toolCallId,
    (part) =>
      part.approval
        ? { ...part, approval: { ...part.approval, decision, ...(edited ? { edited } : {}) } }
        : part,
  );
}

function endTool(
  parts: readonly MessagePart[],
  toolCallId: string,
  end: Pick<ToolPart, "state"> & Partial<Pick<ToolPart, "output" | "error">>,
): MessagePart[] {
  return changeLastPart<"tool">(
    parts,
    (part) => part.type === "tool" && part.toolCallId === toolCallId,
    ({ progress: _, begun: __, ...part }) => ({ ...part, ...end }),
  );
}

function foldParts(parts: MessagePart[], chunk: StreamChunk): MessagePart[] {
  switch (chunk.type) {
    case "start-step":
      return [...parts, { type: "step" }];
    case "text-start":
      return [...parts, { type: "text", id: chunk.id, text: "" }];
    case "reasoning-start":
      return [...parts, { type: "reasoning", id: chunk.id, text: "" }];
    case "text-delta":
      return changeLastPart<"text">(
        parts,
        (part) => part.type === "text" && part.id === chunk.id,
        (part) => ({ ...part, text: part.text + chunk.delta }),
      );
    case "reasoning-delta":
      return changeLastPart<"reasoning">(
        parts,
        (part) => part.type === "reasoning" && part.id === chunk.id,
        (part) => ({ ...part, text: part.text + chunk.delta }),
      );
    case "reasoning-end": {
      const durationMs = chunk.providerMetadata?.console?.durationMs;
      if (durationMs === undefined) return parts;
      return changeLastPart<"reasoning">(
        parts,
        (part) => part.type === "reasoning" && part.id === chunk.id,
        (part) => ({ ...part, durationMs }),
      );
    }
    case "tool-input-start":
      return [
        ...parts,
        { type: "tool", toolCallId: chunk.toolCallId, toolName: chunk.toolName, state: "writing", input: "" },
      ];
    case "tool-input-delta":
      return changeLastPart<"tool">(
        parts,
        (part) => part.type === "tool" && part.toolCallId === chunk.toolCallId,
        (part) => ({ ...part, input: `${part.input}${chunk.inputTextDelta}` }),
      );
    case "tool-input-available":
    case "tool-input-error": {
      const exists = parts.some((part) => part.type === "tool" && part.toolCallId === chunk.toolCallId);
      const { toolCallId, toolName, input } = chunk;
      const all: MessagePart[] = exists
        ? parts
        : [...parts, { type: "tool", toolCallId, toolName, state: "writing", input }];
      if (chunk.type === "tool-input-error") {
        return changeTool(all, toolCallId, { input, state: "failed", error: chunk.errorText });
      }
      const running = changeTool(all, toolCallId, { input, state: "running", begun: undefined });
      return chunk.approval ? decideTool(running, toolCallId, "approved", chunk.approval.edited) : running;
    }
    case "tool-approval-request":
      return changeLastPart<"tool">(
        parts,
        (part) => part.type === "tool" && part.toolCallId === chunk.toolCallId,
        ({ approval, progress: _, ...part }) => ({
          ...part,
          state: "waiting",
          approval: { reason: chunk.reason, ...(approval?.edited ? { edited: true } : {}) },
        }),
      );
    case "tool-output-denied":
      return decideTool(
        changeTool(parts, chunk.toolCallId, { state: "failed", error: chunk.errorText }),
        chunk.toolCallId,
        "refused",
      );
    case "tool-output-available":
      return endTool(parts, chunk.toolCallId, { output: chunk.output, state: "done" });
    case "data-tool-progress":
      return changeTool(parts, chunk.id, { progress: chunk.data });
    case "data-tool-begun":
      return changeTool(parts, chunk.id, { begun: true });
    case "tool-output-error":
      return endTool(parts, chunk.toolCallId, { error: chunk.errorText, state: "failed" });
    default:
      return parts;
  }
}

/** Adds one event to an answer. Shared by server and browser, so that stored and resumed answers are the same. */
export function foldChunk(state: AnswerState, chunk: StreamChunk): AnswerState {
  switch (chunk.type) {
    case "start":
      // After its approvals, or a restart, an answer continues.
      return { ...state, status: "streaming" };
    case "tool-approval-request":
      return { ...state, status: "waiting", parts: foldParts(state.parts, chunk) };
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

/** The last step's calls that need approval. */
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

/** Approved calls that haven't begun. */
export const approvedCalls = (parts: readonly MessagePart[]): ToolPart[] =>
  pendingCalls(parts).filter(
    ({ state, approval, begun }) => state === "running" && approval?.decision === "approved" && !begun,
  );

/** Requests to decide on calls whose effect a restart left unknown. */
export function interruptionEvents(parts: readonly MessagePart[]): StreamChunk[] {
  return parts.flatMap((part): StreamChunk[] =>
    part.type === "tool" && part.state === "running" && part.begun
      ? [
          {
            type: "tool-approval-request",
            approvalId: part.toolCallId,
            toolCallId: part.toolCallId,
            reason: "interrupted",
          },
        ]
      : [],
  );
}

/** Whether all calls of the last step are decided and the answer can continue. */
export const canContinue = (parts: readonly MessagePart[]): boolean =>
  pendingCalls(parts).length > 0 && !parts.some(isUndecided) && interruptionEvents(parts).length === 0;

/** Whether a call awaits approval. */
export const isUndecided = (part: MessagePart): part is ToolPart & { state: "waiting" } =>
  part.type === "tool" && part.state === "waiting" && part.approval?.decision === undefined;

/** A message with the current content of its answer. */
export function withAnswer(base: ChatMessage, answer: AnswerState): ChatMessage {
  const metrics =
    answer.metrics && "steps" in answer.metrics ? (answer.metrics as ChatMessage["metrics"]) : null;
  return {
    ...base,
    status: answer.status,
    parts: answer.parts,
    content: textOf(answer.parts),
    error: answer.error,
    metrics,
  };
}

/** About a call that had begun. */
export const MAYBE_EFFECTIVE = "The call may have taken effect.";

/** Marks calls that a stop left without a result as failed. */
export function closeOpenTools(parts: readonly MessagePart[], reason: string): MessagePart[] {
  return parts.map((part) => {
    if (part.type !== "tool" || part.state === "done" || part.state === "failed") return part;
    const { progress: _, begun, ...open } = part;
    return { ...open, state: "failed", error: begun ? `${reason} ${MAYBE_EFFECTIVE}` : reason };
  });
}

type AnswerChunk = { type: string; delta?: string; errorText?: string };
type Listener = (
  event: { id: number; json: string; chunk: AnswerChunk } | undefined,
  interruption?: string,
) => void;
export type Follow = (listener: Listener) => (() => void) | undefined;

/** The AI SDK's protocol version (https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol). */
const STREAM_VERSION = { "x-vercel-ai-ui-message-stream": "v1" };

/** A stream's last event: without an id and [DONE] if a restart cut it off, so that a client resumes. */
const lastEvent = (interruption: string | undefined): string =>
  interruption === undefined ? "[DONE]" : JSON.stringify({ type: "error", errorText: interruption });

/** The AI SDK's UI message stream (v1) as server-sent events. */
export function answerEvents(conversationId: string, follow: Follow): Answer {
  return events(
    (sink) => {
      const stop = follow((event, interruption) => {
        if (event) return sink.send(event.json, event.id);
        sink.send(lastEvent(interruption));
        sink.close();
      });
      if (!stop) sink.close();
      return stop ?? (() => {});
    },
    { ...STREAM_VERSION, "X-Conversation-Id": conversationId },
  );
}

function textListener(write: (text: string) => void, end: () => void, breakOff: () => void): Listener {
  let begun = false;
  return (event, interruption) => {
    if (!event) return interruption === undefined ? end() : breakOff();
    const { type, delta, errorText } = event.chunk;
    if (type === "text-start" && begun) write("\n\n");
    if (type === "text-delta" && delta) {
      begun = true;
      write(delta);
    }
    // After the headers an error can only go into the text.
    if (type === "error") write(`${begun ? "\n\n" : ""}${errorText}`);
  };
}

/** The answer's bare text; one that is cut off breaks the connection off. */
function answerText(conversationId: string, follow: Follow): Answer {
  return text(
    "text/plain",
    (sink) => {
      const stop = follow(textListener(sink.write, sink.close, sink.breakOff));
      if (!stop) sink.close();
      return stop ?? (() => {});
    },
    { "X-Conversation-Id": conversationId },
  );
}

/** Whether `Accept` prefers plain text. */
export function prefersText(accept: string | null): boolean {
  const weight = (type: string) => {
    for (const item of (accept ?? "").toLowerCase().split(",")) {
      const [name, ...parameters] = item.split(";").map((part) => part.trim());
      if (name !== type) continue;
      const quality = parameters.find((parameter) => parameter.startsWith("q="));
      return quality ? Number(quality.slice(2)) || 0 : 1;
    }
    return 0;
  };
  return weight("text/plain") > weight("text/event-stream");
}

/** An answer as its reader prefers it by `Accept`: events, or bare text. */
export function streamAnswer(conversationId: string, follow: Follow, accept: string | null): Answer {
  return prefersText(accept) ? answerText(conversationId, follow) : answerEvents(conversationId, follow);
}
