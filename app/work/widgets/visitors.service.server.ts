import { locationOf, passagesOf, type QuotedPassage } from "~/ai/models/quoted-passages.shared";
import { offerTools } from "~/ai/tools/tools.service.server";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { HOUR } from "~/core/durations";
import { AppError } from "~/core/errors";
import { hashSecret, newId, newSecret } from "~/core/ids.server";
import { log } from "~/core/log.server";
import { kept } from "~/core/process.server";
import { addressGroup, RateLimiter } from "~/core/rate-limiter.server";
import { clip, toDisplayText } from "~/core/well-formed";
import { textOf } from "~/work/chat/answer-state.shared";
import { onlyReads, planForVisitor } from "~/work/chat/temporary/temporary.service.server";
import * as repo from "./widgets.repo.server";
import type { VisitorMessage, VisitorQuestion, WidgetSettings } from "./widgets.schema";
import {
  categoryOf,
  hasEnded,
  SEARCH,
  settingsOf,
  toVisitorMessage,
  widgetActor,
} from "./widgets.service.server";

/** Of an answer, in characters. */
const MAX_ANSWER = 20_000;
/** Answers that run at once for one widget, one network; a visitor has one. */
const MAX_RUNNING = 10;
const MAX_RUNNING_PER_NETWORK = 3;
/** Messages an hour for a widget, unless one network may send more. */
const MIN_PER_WIDGET = 1000;
/** Times an hour that a network is shown what was said, unless it may send more messages. */
const MIN_SHOWN = 600;

const CLOSED = "This chat isn't open.";
const FAILED = "The answer couldn't be written. Try again later.";

const limits = () =>
  kept("widget limits", () => ({ rate: new RateLimiter(), running: new Map<string, number>() }));

export interface OpenWidget {
  row: repo.WidgetRow;
  settings: WidgetSettings;
}

/** The same refusal for an unknown, closed, ended and deleted widget, so that nothing is learned by trying. @throws AppError `not_found` */
export function openWidget(token: string): OpenWidget {
  const row = /^[\w-]{43}$/.test(token) ? repo.findWidgetByToken(db(), token) : undefined;
  if (!row?.enabled || hasEnded(row)) throw new AppError("not_found", CLOSED);
  return { row, settings: settingsOf(row) };
}

/** @param quotas limits an hour by key @throws AppError `rate_limited` */
function assertRate(quotas: readonly (readonly [key: string, limit: number])[]): void {
  for (const [key, limit] of quotas) {
    const { allowed, retryMs } = limits().rate.take(key, { limit, windowMs: HOUR });
    if (allowed) continue;
    const minutes = Math.ceil(retryMs / 60_000);
    const message = `Too many messages were sent. Try again in ${minutes} minute${minutes === 1 ? "" : "s"}.`;
    throw new AppError("rate_limited", message, { retryAfter: Math.ceil(retryMs / 1000) });
  }
}

/** @returns a function that frees the places @throws AppError `rate_limited` */
function takePlaces(places: readonly (readonly [key: string, most: number])[]): () => void {
  const { running } = limits();
  if (places.some(([key, most]) => (running.get(key) ?? 0) >= most))
    throw new AppError("rate_limited", "Other answers are still being written. Try again in a moment.", {
      retryAfter: 5,
    });
  const add = (by: 1 | -1) => {
    for (const [key] of places) {
      const count = (running.get(key) ?? 0) + by;
      if (count > 0) running.set(key, count);
      else running.delete(key);
    }
  };
  add(1);
  return () => add(-1);
}

type Keys = Pick<VisitorQuestion, "visitor" | "conversation">;

function findOwn(widgetId: string, { visitor, conversation }: Keys): repo.ConversationRow | undefined {
  if (!visitor || !conversation) return undefined;
  const row = repo.findVisitorConversation(db(), widgetId, conversation);
  return row?.visitorHash === hashSecret(visitor) ? row : undefined;
}

/** Messages for the visitor whose keys these are; none of another's conversation. @throws AppError `rate_limited` */
export function readOwnConversation(
  { row, settings }: OpenWidget,
  keys: Keys,
  address: string,
): VisitorMessage[] {
  const found = findOwn(row.id, keys);
  if (!found) return [];
  assertRate([[`${row.id} ${addressGroup(address)} shown`, Math.max(MIN_SHOWN, settings.perNetwork)]]);
  return repo.listMessageRows(db(), found.id).map(toVisitorMessage);
}

/** What a citation links to in the console: the path of a document's page. */
const OWN_LINK = /\[([^\]\n]{0,200})\]\((\/[^)\s]*)\)/g;
/** One that is still being written. */
const BEGUN_LINK = /\[[^\]\n]{0,200}\]\((?:\/[^)\s]*)?$/;

type Cited = Pick<VisitorMessage, "content" | "sources">;

/** An answer whose links into the console are numbers of its sources. */
export function citeSources(text: string, passages: readonly QuotedPassage[]): Cited {
  const byUrl = new Map(passages.map((passage) => [passage.url, passage]));
  const cited = new Map<QuotedPassage, number>();
  const content = text.replace(BEGUN_LINK, "").replaceAll(OWN_LINK, (_, label: string, url: string) => {
    const passage = byUrl.get(url);
    if (!passage) return label;
    if (!cited.has(passage)) cited.set(passage, cited.size + 1);
    return `[${cited.get(passage)}]`;
  });
  const sources = [...cited.keys()].map((passage) => ({
    title: passage.title,
    location: locationOf(passage),
  }));
  return { content, sources };
}

export interface VisitorAnswer {
  /** To send with the next question. */
  visitor: string;
  conversation: string;
  /** So far. */
  read(): Cited;
  /** Calls back when more was written; after `done` no more. */
  follow(changed: () => void): void;
  stop(): void;
  /** What is stored. */
  done: Promise<VisitorMessage>;
}

function parseMessage(text: string, { maxLength }: WidgetSettings): string {
  const message = toDisplayText(text).trim();
  if (message === "") throw new AppError("invalid", "Enter a message.");
  if (message.length > maxLength)
    throw new AppError("invalid", `Use at most ${maxLength.toLocaleString("en-US")} characters.`);
  return message;
}

/** Answered questions alone. */
function historyOf(rows: readonly repo.MessageRow[]) {
  return rows.flatMap((row, index) => {
    const answer = rows[index + 1];
    if (row.role !== "user" || answer?.role !== "assistant" || answer.content === "") return [];
    return [
      { role: "user" as const, content: row.content },
      { role: "assistant" as const, content: answer.content },
    ];
  });
}

/** @returns begins the answer @throws AppError `unavailable`, for reasons that are for admins too */
async function plan({ row, settings }: OpenWidget, found: repo.ConversationRow | undefined, message: string) {
  const actor = widgetActor(row);
  const category = categoryOf(row.orgId, settings.documents);
  const usable = new Set(settings.tools.filter((name) => name !== SEARCH));
  if (category !== undefined || settings.documents === "all") usable.add(SEARCH);
  try {
    return await planForVisitor(actor, {
      persona: row.personaId ?? undefined,
      model: row.model || undefined,
      tools: offerTools(actor).flatMap((tool) => (usable.has(tool.name) && onlyReads(tool) ? tool.name : [])),
      category,
      messages: [
        ...(found ? historyOf(repo.listMessageRows(db(), found.id)) : []),
        { role: "user", content: message },
      ],
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "unavailable") throw error;
    log.warn("a visitor's question was refused", { error });
    throw new AppError("unavailable", FAILED, { cause: error });
  }
}

/**
 * Begins to answer a visitor. The answer ends with its reader.
 * @param address the visitor's network address, for the limits; it isn't stored
 * @throws AppError `not_found` if the widget is closed, `invalid`, `rate_limited`, `conflict` for a conversation at its end
 */
export async function askWidget(
  token: string,
  question: VisitorQuestion & { message: string },
  address: string,
): Promise<VisitorAnswer> {
  const widget = openWidget(token);
  const { row, settings } = widget;
  const message = parseMessage(question.message, settings);
  const visitor = question.visitor ?? newSecret();
  const visitorHash = hashSecret(visitor);
  const own = `${row.id} ${visitorHash}`;
  const network = `${row.id} ${addressGroup(address)}`;
  const found = findOwn(row.id, question);
  if (found && found.questions >= settings.maxQuestions)
    throw new AppError("conflict", "This conversation has reached its end. Start a new one.");
  const free = takePlaces([
    [row.id, MAX_RUNNING],
    [network, MAX_RUNNING_PER_NETWORK],
    // Answers in one conversation would overtake each other.
    [own, 1],
  ]);
  try {
    assertRate([
      [network, settings.perNetwork],
      [row.id, Math.max(MIN_PER_WIDGET, settings.perNetwork)],
      [own, settings.perVisitor],
    ]);
    const begin = await plan(widget, found, message);
    // It may have been closed meanwhile.
    openWidget(token);
    const conversation = storeQuestion(row.id, found, visitorHash, message);
    const live = begin();
    const passages = () =>
      live.state.parts.flatMap((part) =>
        part.type === "tool" && part.state === "done" ? (passagesOf(part.output) ?? []) : [],
      );
    const read = () => citeSources(clip(textOf(live.state.parts), MAX_ANSWER), passages());
    live.listen(() => {
      if (textOf(live.state.parts).length > MAX_ANSWER) live.stop("stopped");
    });
    return {
      visitor,
      conversation: conversation.id,
      read,
      follow: (changed) => void live.listen(changed),
      stop: () => live.stop("stopped"),
      done: live.done.then(() => {
        free();
        const { status } = live.state;
        return storeAnswer(
          conversation,
          read(),
          status === "complete" || status === "failed" ? status : "stopped",
        );
      }),
    };
  } catch (error) {
    free();
    throw error;
  }
}

function storeQuestion(
  widgetId: string,
  found: repo.ConversationRow | undefined,
  visitorHash: string,
  content: string,
): repo.ConversationRow {
  return transaction((tx) => {
    const at = now();
    // It may have been deleted meanwhile.
    const before = found && repo.findVisitorConversation(tx, widgetId, found.id);
    const row: repo.ConversationRow = before
      ? { ...before, questions: before.questions + 1, updatedAt: at }
      : { id: newId("wcn"), widgetId, visitorHash, questions: 1, createdAt: at, updatedAt: at };
    repo.putConversation(tx, row);
    repo.insertMessage(tx, toRow(row, { role: "user", content, sources: [], status: "complete" }));
    return row;
  });
}

/** An answer stands after its question, of which there is one at a time. */
function toRow(
  { id: conversationId, questions }: repo.ConversationRow,
  message: Pick<repo.MessageRow, "role" | "content" | "sources" | "status">,
): repo.MessageRow {
  const position = 2 * questions - (message.role === "user" ? 1 : 0);
  return { ...message, id: newId("wms"), conversationId, position, createdAt: now() };
}

/** In a conversation that was deleted meanwhile nothing is stored. */
function storeAnswer(
  conversation: repo.ConversationRow,
  cited: Cited,
  status: repo.MessageRow["status"],
): VisitorMessage {
  const row = toRow(conversation, { ...cited, role: "assistant", status });
  try {
    transaction((tx) => {
      if (repo.findVisitorConversation(tx, conversation.widgetId, conversation.id))
        repo.insertMessage(tx, row);
    });
  } catch (error) {
    log.error("a visitor's answer couldn't be stored", { error, conversationId: conversation.id });
  }
  return toVisitorMessage(row);
}
