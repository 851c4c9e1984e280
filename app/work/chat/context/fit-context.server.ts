import { passagesOf } from "~/ai/models/quoted-passages.shared";
import type { ContextUse, TrimmedContext } from "~/ai/tools/answer-stream.schema";
import type { ToolInfo } from "~/ai/tools/tools.schema";
import { countTokens } from "~/core/count-tokens";
import { AppError } from "~/core/errors";
import { type HistoryMessage, summaryText } from "../answer/prompt.server";
import { IMAGE_TOKENS } from "../attachments/limits.shared";
import type { MessagePart } from "../chat.schema";
import type { Summary, SummaryRow } from "./summaries.repo.server";

/** Tokens per message for its role and delimiters. */
const MESSAGE_OVERHEAD = 4;
/** Maximum share of the context that is kept free for passages. */
const PASSAGES_SHARE = 1 / 4;
/** Maximum share of the context that is reserved for the answer. */
const ANSWER_SHARE = 1 / 4;
/** Maximum share of the context that a summary fills, and its maximum in tokens. */
const SUMMARY_SHARE = 1 / 8;
const SUMMARY_TOKENS = 4000;
/**
 * Share of what earlier messages may fill that the newest turns take beside a new summary, and the summary at most. The
 * rest is free until the next one, so that not every answer pays for a summary.
 */
const KEPT_SHARE = 1 / 3;
/** How much of a conversation is read for a summary: contexts, and tokens at most. */
const READ = { contexts: 4, tokens: 200_000 };

interface Weight {
  turns: number;
  passages: number;
}

const NOTHING: Weight = { turns: 0, passages: 0 };
const add = (a: Weight, b: Weight): Weight => ({
  turns: a.turns + b.turns,
  passages: a.passages + b.passages,
});
const total = ({ turns, passages }: Weight): number => turns + passages;

function weighPart(part: MessagePart): Weight {
  if (part.type === "text") return { turns: countTokens(part.text), passages: 0 };
  if (part.type === "attachment") return { turns: part.tokens, passages: 0 };
  if (part.type === "file") return { turns: IMAGE_TOKENS, passages: 0 };
  if (part.type !== "tool") return NOTHING;
  const tokens = countTokens(JSON.stringify([part.toolName, part.input, part.output ?? part.error ?? null]));
  return passagesOf(part.output) ? { turns: 0, passages: tokens } : { turns: tokens, passages: 0 };
}

/** Reasoning counts where its model may want it again. */
export function weighMessage({
  parts,
  stepStates = [],
}: Pick<HistoryMessage, "parts" | "stepStates">): Weight {
  const reasoning = stepStates.length > 0 ? parts.filter((part) => part.type === "reasoning") : [];
  const thought = reasoning.reduce((sum, { text }) => sum + countTokens(text), 0);
  return parts.map(weighPart).reduce(add, { turns: MESSAGE_OVERHEAD + thought, passages: 0 });
}

interface ContextInput {
  model: string;
  /** The model's context, in tokens; undefined if unknown. */
  length: number | undefined;
  /** Tokens to keep free for the answer. */
  answer: number;
  /** Share of the context from which older turns are summarized. */
  summarizeAt: number;
  system: string | undefined;
  tools: readonly ToolInfo[];
  /** In tokens, for what will be found. */
  passages: number;
  /** Always sent. */
  question: HistoryMessage;
  /** What there is of an answer that goes on; always sent. */
  begun?: HistoryMessage | undefined;
  /** Whether it goes on though it doesn't fit: its calls are decided, and its provider says what is too long. */
  isDecided?: boolean | undefined;
  /** Newest first. */
  earlier: Iterable<HistoryMessage>;
  summaries: readonly (Summary & Pick<SummaryRow, "undoneAt">)[];
}

export interface Context {
  /** Oldest first. */
  history: HistoryMessage[];
  /** Stands for the messages before the history. */
  summary?: Summary;
  use: ContextUse;
  /** Set if older messages are omitted. */
  trimmed?: TrimmedContext;
}

/** Older turns that a summary is to stand for, and the context then. */
export interface LongContext {
  /** Oldest first. */
  messages: HistoryMessage[];
  tokens: number;
  before: Summary | undefined;
  /** Maximum length of the summary, and of what is read for it at once, in tokens. */
  limits: { summary: number; piece: number };
  withSummary(summary: Summary): Context;
}

interface Turn extends Weight {
  /** Newest first. */
  messages: HistoryMessage[];
}

interface Read {
  /** Newest first. */
  turns: Turn[];
  summary: Summary | undefined;
  isUndone: boolean;
  /** Whether there are older messages than those read. */
  isCut: boolean;
}

/** Reads whole turns back to the newest summary. @param limit in tokens */
function readTurns({ earlier, summaries }: ContextInput, limit: number): Read {
  const byMessage = new Map(summaries.map((summary) => [summary.messageId, summary]));
  const read: Read = { turns: [], summary: undefined, isUndone: false, isCut: false };
  let messages: HistoryMessage[] = [];
  let weight = NOTHING;
  let sum = 0;
  const close = () => {
    if (messages.length > 0) read.turns.push({ messages, ...weight });
    messages = [];
    weight = NOTHING;
  };
  for (const message of earlier) {
    const found = byMessage.get(message.id);
    if (found && found.undoneAt === null) {
      read.summary = found;
      break;
    }
    if (found) read.isUndone = true;
    const one = weighMessage(message);
    sum += total(one);
    if (sum > limit) return { ...read, isCut: true };
    messages.push(message);
    weight = add(weight, one);
    if (message.role === "user") close();
  }
  // The conversation begins with an answer.
  close();
  return read;
}

/** How many of the turns, from the newest on, fit into a room. */
function countFitting(turns: readonly Turn[], room: number): number {
  let left = room;
  const at = turns.findIndex((turn) => {
    left -= total(turn);
    return left < 0;
  });
  return at < 0 ? turns.length : at;
}

const oldestFirst = (turns: readonly Turn[]) => turns.flatMap(({ messages }) => messages).toReversed();

const weighSummary = (summary: Summary | undefined) => (summary ? countTokens(summaryText(summary)) : 0);

/**
 * Fits a conversation into a model's context: system prompt, tools and question, then the newest turns, with room for
 * the answer. Older turns are sent as their summary; those that none stands for yet are `long` where they don't fit or
 * fill more than their share. An unknown context length takes everything.
 * @throws AppError `invalid` if the question alone doesn't fit
 */
export function fitContext(input: ContextInput): Context & { long?: LongContext } {
  const { model, length, answer, system, tools, passages, question, begun } = input;
  const described = tools.map(({ name, description, inputSchema }) => [name, description, inputSchema]);
  const fixed = {
    system: countTokens(system ?? ""),
    tools: tools.length > 0 ? countTokens(JSON.stringify(described)) : 0,
  };
  const asked = weighMessage(question);
  const begunTokens = begun ? total(weighMessage(begun)) : 0;
  const always = total(asked) + begunTokens;
  const contextOf = (turns: readonly Turn[], summary: Summary | undefined): Context => ({
    history: [...oldestFirst(turns), question],
    ...(summary && { summary }),
    use: {
      ...(length !== undefined && { length }),
      ...fixed,
      ...turns.reduce<Weight>(add, asked),
      summary: weighSummary(summary),
    },
  });
  if (length === undefined) {
    const { turns, summary } = readTurns(input, Number.POSITIVE_INFINITY);
    return contextOf(turns, summary);
  }

  const free =
    length -
    Math.min(answer, Math.floor(length * ANSWER_SHARE)) -
    fixed.system -
    fixed.tools -
    Math.min(passages, Math.floor(length * PASSAGES_SHARE));
  const room = free - always;
  const subject = begun ? "This answer with its question" : "This message";
  if (room < 0 && !input.isDecided) throw tooLong(subject, model, length, always, Math.max(free, 0));
  if (room < 0)
    return { ...contextOf([], undefined), trimmed: { firstSentId: question.id, contextLength: length } };

  const { turns, summary, isUndone, isCut } = readTurns(
    input,
    Math.max(room, Math.min(length * READ.contexts, READ.tokens)),
  );
  const ownSummary = weighSummary(summary) <= room ? summary : undefined;
  const fitting = countFitting(turns, room - weighSummary(ownSummary));
  const isWhole = !isCut && fitting === turns.length && ownSummary === summary;
  const context = contextOf(turns.slice(0, fitting), ownSummary);
  // What is fixed may fill the share alone, which no summary changes.
  const share = length * input.summarizeAt - fixed.system - fixed.tools - always;
  const limit = Math.min(room, Math.max(share, room * KEPT_SHARE));
  const used = turns.map(total).reduce((sum, one) => sum + one, weighSummary(summary));
  if (isWhole && (isUndone || used <= limit)) return context;

  const sent = isWhole
    ? context
    : { ...context, trimmed: { firstSentId: context.history[0]?.id ?? question.id, contextLength: length } };
  const kept = countFitting(turns, limit * KEPT_SHARE);
  const older = turns.slice(kept);
  const tokens = older.map(total).reduce((sum, one) => sum + one, 0);
  const longest = Math.floor(Math.min(length * SUMMARY_SHARE, limit * KEPT_SHARE, SUMMARY_TOKENS));
  // A summary that is as long as what it stands for is of no use.
  if (tokens <= (isWhole ? longest : 0)) return sent;
  const messages = oldestFirst(older);
  const withSummary = (written: Summary): Context => ({
    ...contextOf(turns.slice(0, kept), written),
    ...(isCut && messages[0] && { trimmed: { firstSentId: messages[0].id, contextLength: length } }),
  });
  const limits = { summary: longest, piece: Math.floor(length / 2) };
  return { ...sent, long: { messages, tokens, before: summary, limits, withSummary } };
}

function tooLong(subject: string, model: string, length: number, tokens: number, room: number): AppError {
  const figure = (value: number) => value.toLocaleString("en-US");
  const message =
    `${subject} is too long for ${model}: it has about ${figure(tokens)} tokens, and ${figure(room)} of the ` +
    `model's context of ${figure(length)} are free for it. Shorten it, or choose a model with a longer context.`;
  return new AppError("invalid", message, { fields: { content: [message] } });
}
