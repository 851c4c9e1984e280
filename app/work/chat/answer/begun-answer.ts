import type { LanguageModelV3Message } from "@ai-sdk/provider";
import { ATTACHED } from "~/ai/models/models.service.server";
import type { StepState } from "~/ai/models/step-state.schema";
import type { StreamChunk } from "~/ai/tools/answer-stream.schema";
import { resultFilePath } from "~/ai/tools/files/result-files.shared";
import { closeOpenTools, requestApproval } from "../answer-state.shared";
import type { FilePart, MessagePart, ToolPart } from "../chat.schema";

// An answer that was cut off goes on as another version of it, which begins with what there is.

export interface BegunAnswer {
  parts: MessagePart[];
  stepStates: StepState[];
  /** The text with which it ends, which goes on; undefined where the next step begins. */
  ending?: { id: string; text: string; position: number };
}

/** For the model; nobody else sees it. It belongs to the question before it. */
export const GO_ON: LanguageModelV3Message = {
  role: "user",
  content: [
    {
      type: "text",
      text: "Your answer above was cut off. Continue it exactly where it ends, with the next word. Don't repeat any of it, and don't mention that it was cut off.",
      providerOptions: ATTACHED,
    },
  ],
};

/** The last word may be half of one, so that the model writes it again. */
const withoutLastWord = (text: string): string => text.replace(/(?<=\s)\S{1,40}$/u, "");

/** The parts of the last step that its state knows by their positions: all but files. */
function countWritten(parts: readonly MessagePart[]): number {
  const step = parts.findLastIndex(({ type }) => type === "step");
  return parts.slice(step + 1).filter(({ type }) => type !== "file").length;
}

/** What a version that goes on begins with. */
export function beginWith(parts: readonly MessagePart[], stepStates: readonly StepState[]): BegunAnswer {
  const closed = closeOpenTools(parts, "The answer was cut off.");
  const at = closed.findLastIndex(
    (part) => part.type !== "reasoning" && (part.type !== "text" || part.text !== ""),
  );
  const last = closed[at];
  if (last?.type !== "text") return { parts: closed, stepStates: [...stepStates] };
  const text = withoutLastWord(last.text);
  return {
    parts: closed.with(at, { ...last, text }),
    stepStates: [...stepStates],
    ending: { id: last.id, text, position: countWritten(closed.slice(0, at)) },
  };
}

/** The event of a file of an answer. */
export const fileChunk = ({ mediaType, id, name, size }: Omit<FilePart, "type">): StreamChunk => ({
  type: "file",
  url: resultFilePath(id),
  mediaType,
  providerMetadata: { console: { id, name, size } },
});

/** They were asked during the call, which ended them. */
function repeatedQuestions({ toolCallId: id, questions = [] }: ToolPart): StreamChunk[] {
  return questions.flatMap(({ end = { outcome: "withdrawn" }, ...question }): StreamChunk[] => [
    { type: "data-tool-question", id, data: question, transient: true },
    { type: "data-tool-answer", id, data: { questionId: question.id, ...end }, transient: true },
  ]);
}

function repeatedCall(part: ToolPart): StreamChunk[] {
  const { toolCallId, toolName, input, state, output, error, approval } = part;
  const decided = approval?.decision === "approved" ? { approval: { edited: approval.edited ?? false } } : {};
  const call: StreamChunk = { type: "tool-input-available", toolCallId, toolName, input, ...decided };
  const isDecided = approval?.decision === "approved" || approval?.decision === "refused";
  const errorText = error ?? "";
  return [
    { type: "tool-input-start", toolCallId, toolName },
    { type: "tool-input-available", toolCallId, toolName, input },
    ...(isDecided ? [requestApproval(toolCallId, approval.reason)] : []),
    ...(approval?.decision === "approved" ? [call] : []),
    ...repeatedQuestions(part),
    state === "done"
      ? { type: "tool-output-available", toolCallId, output }
      : approval?.decision === "refused"
        ? { type: "tool-output-denied", toolCallId, errorText }
        : { type: "tool-output-error", toolCallId, errorText },
  ];
}

function repeatedPart(part: MessagePart, isOpen: boolean): StreamChunk[] {
  switch (part.type) {
    case "text": {
      const { id, text } = part;
      const begun: StreamChunk[] = [
        { type: "text-start", id },
        { type: "text-delta", id, delta: text },
      ];
      return isOpen ? begun : [...begun, { type: "text-end", id }];
    }
    case "reasoning": {
      const { id, text, durationMs } = part;
      const timed = durationMs === undefined ? {} : { providerMetadata: { console: { durationMs } } };
      return [
        { type: "reasoning-start", id },
        { type: "reasoning-delta", id, delta: text },
        { type: "reasoning-end", id, ...timed },
      ];
    }
    case "tool":
      return repeatedCall(part);
    case "file":
      return [fileChunk(part)];
    default:
      return [];
  }
}

/** The events of the beginning, so that everybody who follows a version that goes on reads all of it. */
export function repeatedEvents({ parts, stepStates, ending }: BegunAnswer): StreamChunk[] {
  const openAt = ending ? parts.findLastIndex((part) => part.type === "text" && part.id === ending.id) : -1;
  let steps = 0;
  const events = parts.flatMap((part, at): StreamChunk[] => {
    if (part.type !== "step") return repeatedPart(part, at === openAt);
    steps += 1;
    return steps > 1 ? [{ type: "finish-step" }, { type: "start-step" }] : [{ type: "start-step" }];
  });
  if (!ending && steps > 0) events.push({ type: "finish-step" });
  return [
    ...events,
    ...stepStates.map((data): StreamChunk => ({ type: "data-step-state", data, transient: true })),
  ];
}

/**
 * Writes the text with which a step begins at the end of the one that was cut off. The step itself goes on, so that it is
 * one message of the model in later prompts.
 */
export function goingOn(
  { parts, stepStates, ending }: BegunAnswer,
  emit: (chunk: StreamChunk) => void,
): (chunk: StreamChunk) => void {
  if (!ending) return emit;
  const { id, position } = ending;
  const size = countWritten(parts);
  const kinds: ("reasoning" | "text" | "tool")[] = [];
  /** The text that goes on, by its position among what is new; undefined until it or a call begins. */
  let joined: { id: string; at: number } | undefined;
  let isOpen = true;
  let isSpaced = /[ \t]$/.test(ending.text);

  const close = () => {
    if (isOpen) emit({ type: "text-end", id });
    isOpen = false;
  };
  const positionOf = (at: number) => {
    if (at === joined?.at) return position;
    return size + at - (joined && at > joined.at ? 1 : 0);
  };
  const joinedState = (state: StepState): StepState => {
    const before = stepStates.find(
      ({ step, writtenBy }) => step === state.step && writtenBy === state.writtenBy,
    );
    // Thoughts behind the text they led to are refused as such, unless calls follow.
    const kept = Object.entries(state.parts).filter(
      ([at]) => kinds[Number(at)] !== "reasoning" || kinds.includes("tool"),
    );
    const own = Object.fromEntries(kept.map(([at, metadata]) => [positionOf(Number(at)), metadata]));
    return { ...before, ...state, parts: { ...before?.parts, ...own } };
  };

  return (chunk) => {
    if (chunk.type === "data-step-state") return emit({ ...chunk, data: joinedState(chunk.data) });
    if (chunk.type === "reasoning-start") kinds.push("reasoning");
    if (chunk.type === "tool-input-start") {
      kinds.push("tool");
      close();
    }
    if (chunk.type === "text-start") {
      kinds.push("text");
      if (isOpen && !joined) {
        joined = { id: chunk.id, at: kinds.length - 1 };
        return;
      }
    }
    if (!isOpen || !("id" in chunk) || chunk.id !== joined?.id) return emit(chunk);
    if (chunk.type === "text-end") return close();
    if (chunk.type !== "text-delta") return emit(chunk);
    const delta = isSpaced ? chunk.delta.replace(/^[ \t]+/, "") : chunk.delta;
    if (delta === "") return;
    isSpaced = false;
    emit({ ...chunk, id, delta });
  };
}
