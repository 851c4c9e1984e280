import { contextLength } from "~/ai/models/models.service.server";
import type { TrimmedContext } from "~/ai/tools/answer-stream.schema";
import type { ToolInfo } from "~/ai/tools/tools.schema";
import { countTokens } from "~/core/count-tokens";
import { AppError } from "~/core/errors";
import { readSetting } from "~/platform/settings/read-settings.service.server";
import type { MessagePart } from "../chat.schema";

export interface HistoryMessage {
  id: string;
  role: "user" | "assistant";
  parts: readonly MessagePart[];
}

/** Tokens per message for its role and delimiters. */
const MESSAGE_OVERHEAD = 4;
/** Maximum share of the context that is reserved for the answer. */
const ANSWER_SHARE = 1 / 4;

function countPartTokens(part: MessagePart): number {
  switch (part.type) {
    case "text":
      return countTokens(part.text);
    case "tool":
      return countTokens(JSON.stringify([part.toolName, part.input, part.output ?? part.error ?? null]));
    case "attachment":
      return part.tokens;
    // Reasoning isn't sent back.
    default:
      return 0;
  }
}

function countMessageTokens({ parts }: Pick<HistoryMessage, "parts">): number {
  return parts.reduce((sum, part) => sum + countPartTokens(part), MESSAGE_OVERHEAD);
}

export interface ContextInput {
  orgId: string;
  model: string;
  system: string | undefined;
  tools: readonly ToolInfo[];
  /** Always sent. */
  question: HistoryMessage;
  earlier: Iterable<HistoryMessage>;
}

interface Context {
  /** Oldest first. */
  history: HistoryMessage[];
  /** Set if older messages are omitted. */
  trimmed?: TrimmedContext;
}

/**
 * Fits a conversation into a model's context: system prompt, tools and question, then the newest turns, with room for
 * the answer. An unknown context length takes everything.
 * @throws AppError `invalid` if the question alone doesn't fit
 */
export function fitContext({ orgId, model, system, tools, question, earlier }: ContextInput): Context {
  const length = contextLength(orgId, model);
  if (length === undefined) return { history: [...[...earlier].reverse(), question] };
  const answer = Math.min(readSetting(orgId, "ai.maxTokens"), Math.floor(length * ANSWER_SHARE));
  const described = tools.map(({ name, description, inputSchema }) => [name, description, inputSchema]);
  const fixed = countTokens(system ?? "") + (tools.length > 0 ? countTokens(JSON.stringify(described)) : 0);
  let room = length - answer - fixed;
  const questionTokens = countMessageTokens(question);
  if (questionTokens > room) throw tooLong(model, length, questionTokens, Math.max(room, 0));
  room -= questionTokens;

  const newestFirst: HistoryMessage[] = [];
  let turn: HistoryMessage[] = [];
  let weight = 0;
  let isWhole = true;
  for (const message of earlier) {
    turn.push(message);
    weight += countMessageTokens(message);
    if (weight > room) {
      isWhole = false;
      break;
    }
    if (message.role === "user") {
      newestFirst.push(...turn);
      room -= weight;
      turn = [];
      weight = 0;
    }
  }
  // The conversation begins with an answer.
  if (isWhole) newestFirst.push(...turn);
  const history = [...newestFirst.reverse(), question];
  if (isWhole) return { history };
  return { history, trimmed: { firstSentId: history[0]?.id ?? question.id, contextLength: length } };
}

function tooLong(model: string, length: number, tokens: number, room: number): AppError {
  const figure = (value: number) => value.toLocaleString("en-US");
  const message =
    `This message is too long for ${model}: it has about ${figure(tokens)} tokens, and ${figure(room)} of the ` +
    `model's context of ${figure(length)} are free for it. Shorten it, or choose a model with a longer context.`;
  return new AppError("invalid", message, { fields: { content: [message] } });
}
