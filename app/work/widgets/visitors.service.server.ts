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
import { categoryOf, hasEnded, settingsOf, toVisitorMessage, widgetActor } from "./widgets.service.server";

/** Of an answer, in characters. */
const MAX_ANSWER = 20_000;
/** Answers that run at once for one widget, and for one network. */
const MAX_RUNNING = 10;
const MAX_RUNNING_PER_NETWORK = 3;
const SEARCH = "qdrant.search";

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

function assertRate({ row, settings }: OpenWidget, network: string, visitorHash: string): void {
  const quotas = [
    [`${row.id} ${network}`, settings.perNetwork],
    [`${row.id} ${visitorHash}`, settings.perVisitor],
  ] as const;
  for (const [key, limit] of quotas) {
    const { allowed, retryMs } = limits().rate.take(key, { limit, windowMs: HOUR });
    if (allowed) continue;
    const minutes = Math.ceil(retryMs / 60_000);
    const message = `You have sent many messages. Try again in ${minutes} minute${minutes === 1 ? "" : "s"}.`;
    throw new AppError("rate_limited", message, { retryAfter: Math.ceil(retryMs / 1000) });
  }
}

/** @returns a function that frees the places @throws AppError `rate_limited` */
function takePlaces(widgetId: string, network: string): () => void {
  const { running } = limits();
  const places = [
    [widgetId, MAX_RUNNING],
    [`${widgetId} ${network}`, MAX_RUNNING_PER_NETWORK],
  ] as const;
  if (places.some(([key, most]) => (running.get(key) ?? 0) >= most))
    throw new AppError("rate_limited", "Many people are asking right now. Try again in a moment.", {
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

function findOwn(widgetId: string, id: string | undefined, visitor: string | undefined) {
  const row = id && visitor ? repo.findVisitorConversation(db(), widgetId, id) : undefined;
  return row?.visitorHash === hashSecret(visitor ?? "") ? row : undefined;
}

/** Messages for the visitor whose key it is; none of an unknown conversation. @throws AppError `not_found` if the widget is closed */
export function readOwnConversation(
  token: string,
  id: string,
  visitor: string | undefined,
): VisitorMessage[] {
  const { row } = openWidget(token);
  const conversation = findOwn(row.id, id, visitor);
  return conversation ? repo.listMessageRows(db(), conversation.id).map(toVisitorMessage) : [];
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
  const refuse = (sentence: string): never => {
    throw new AppError("invalid", `${sentence}.`, { fields: { message: [sentence] } });
  };
  if (message === "") return refuse("Enter a message");
  return message.length > maxLength
    ? refuse(`Use at most ${maxLength.toLocaleString("en-US")} characters`)
    : message;
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

/**
 * Begins to answer a visitor. The answer ends with its reader.
 * @param address the visitor's network address, for the limits; it isn't stored
 * @throws AppError `not_found` if the widget is closed, `invalid`, `rate_limited`, `conflict` for a conversation at its end
 */
export async function askWidget(
  token: string,
  input: VisitorQuestion,
  address: string,
): Promise<VisitorAnswer> {
  const widget = openWidget(token);
  const { row, settings } = widget;
  const message = parseMessage(input.message, settings);
  const visitor = input.visitor ?? newSecret();
  const network = addressGroup(address);
  const found = findOwn(row.id, input.conversation, input.visitor);
  if (found && found.questions >= settings.maxQuestions)
    throw new AppError("conflict", "This conversation has reached its end. Start a new one.");
  assertRate(widget, network, hashSecret(visitor));
  const free = takePlaces(row.id, network);
  try {
    const actor = widgetActor(row);
    const category = settings.documents.startsWith("cat_")
      ? categoryOf(row.orgId, settings.documents)
      : undefined;
    const searches = settings.documents === "all" || category !== undefined;
    const usable = new Set([
      ...settings.tools.filter((name) => name !== SEARCH),
      ...(searches ? [SEARCH] : []),
    ]);
    const tools = offerTools(actor).filter((tool) => usable.has(tool.name) && onlyReads(tool));
    const begin = await planForVisitor(actor, {
      persona: row.personaId ?? undefined,
      model: row.model || undefined,
      tools: tools.map(({ name }) => name),
      category,
      messages: [
        ...(found ? historyOf(repo.listMessageRows(db(), found.id)) : []),
        { role: "user", content: message },
      ],
    });
    // It may have been closed meanwhile.
    openWidget(token);
    const conversation = storeQuestion(row.id, found, hashSecret(visitor), message);
    const live = begin();
    const passages = () =>
      live.state.parts.flatMap((part) =>
        part.type === "tool" && part.state === "done" ? (passagesOf(part.output) ?? []) : [],
      );
    const read = () => citeSources(clip(textOf(live.state.parts), MAX_ANSWER), passages());
    const done = live.done.then(() => {
      free();
      const { status } = live.state;
      const isWhole = status === "complete" || status === "failed";
      return storeAnswer(conversation.id, read(), isWhole ? status : "stopped");
    });
    live.listen(() => {
      if (textOf(live.state.parts).length > MAX_ANSWER) live.stop("stopped");
    });
    return {
      visitor,
      conversation: conversation.id,
      read,
      follow: (changed) => void live.listen(changed),
      stop: () => live.stop("stopped"),
      done,
    };
  } catch (error) {
    free();
    throw explain(error);
  }
}

/** Reasons such as a model that is gone are for admins. */
function explain(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code === "unavailable") return error;
  log.warn("a visitor's question was refused", { error });
  return new AppError("unavailable", FAILED, { cause: error });
}

function storeQuestion(
  widgetId: string,
  found: repo.ConversationRow | undefined,
  visitorHash: string,
  content: string,
) {
  return transaction((tx) => {
    const at = now();
    // Read again: another tab may have asked meanwhile.
    const before = found && repo.findVisitorConversation(tx, widgetId, found.id);
    const row: repo.ConversationRow = before
      ? { ...before, questions: before.questions + 1, updatedAt: at }
      : { id: newId("wcn"), widgetId, visitorHash, questions: 1, createdAt: at, updatedAt: at };
    repo.putConversation(tx, row);
    addMessage(tx, row.id, { role: "user", content, sources: [], status: "complete" });
    return row;
  });
}

type NewMessage = Pick<repo.MessageRow, "role" | "content" | "sources" | "status">;

function addMessage(
  tx: Parameters<typeof repo.listMessageRows>[0],
  conversationId: string,
  message: NewMessage,
) {
  const position = repo.countMessages(tx, conversationId) + 1;
  const row: repo.MessageRow = { ...message, id: newId("wms"), conversationId, position, createdAt: now() };
  repo.insertMessage(tx, row);
  return row;
}

/** In a conversation that was deleted meanwhile nothing is stored. */
function storeAnswer(conversationId: string, cited: Cited, status: NewMessage["status"]): VisitorMessage {
  const message: NewMessage = { ...cited, role: "assistant", status };
  const unstored = { ...message, id: newId("wms"), conversationId, position: 0, createdAt: now() };
  try {
    return toVisitorMessage(
      transaction((tx) =>
        repo.hasConversation(tx, conversationId) ? addMessage(tx, conversationId, message) : unstored,
      ),
    );
  } catch (error) {
    log.error("a visitor's answer couldn't be stored", { error, conversationId });
    return toVisitorMessage(unstored);
  }
}
