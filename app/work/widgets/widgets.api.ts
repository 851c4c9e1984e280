import { z } from "zod";
import { onAbort } from "~/core/abort";
import { env } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { newSecret } from "~/core/ids.server";
import { log } from "~/core/log.server";
import { parseWith } from "~/core/parse";
import {
  bytes,
  type Call,
  created,
  endpoint,
  endpoints,
  events,
  type Program,
  page,
} from "~/platform/endpoint/endpoint.shared";
import {
  answerHtml,
  closedPage,
  type PageState,
  questionHtml,
  visitorPage,
  visitorPolicy,
} from "./visitor-page.server";
import { askWidget, openWidget, readOwnConversation, type VisitorAnswer } from "./visitors.service.server";
import {
  PublicConversation,
  PublicToken,
  VisitorConversation,
  VisitorMessage,
  VisitorQuestion,
  Widget,
  WidgetConversationId,
  WidgetId,
  WidgetInput,
  WidgetListQuery,
  WidgetUpdate,
} from "./widgets.schema";
import {
  createWidget,
  deleteVisitorConversation,
  deleteWidget,
  listVisitorConversations,
  listWidgets,
  readVisitorConversation,
  readWidget,
  updateWidget,
} from "./widgets.service.server";

const HTML = "text/html; charset=utf-8";
/** In bytes, of a question with its keys. */
const MAX_BODY = 100_000;
/** Between two versions of an answer that is written, in ms. */
const EVERY = 300;

const FAILED = "The answer couldn't be written. Try again later.";
const STOPPED = "The answer was stopped.";

const problemOf = ({ status }: Pick<VisitorMessage, "status">): string | undefined =>
  status === "complete" ? undefined : status === "failed" ? FAILED : STOPPED;

type PublicCall = Pick<Call<unknown>, "headers" | "origin">;

/** The page asks for itself, wherever it is framed; other sites don't ask in its place. @throws AppError `forbidden` */
function assertOwnPage({ headers }: PublicCall): void {
  const origin = headers.get("origin");
  const host = origin !== null && URL.canParse(origin) ? new URL(origin).host : undefined;
  const publicUrl = env().PUBLIC_URL;
  const own = [headers.get("host"), publicUrl && new URL(publicUrl).host];
  if (
    origin === null
      ? headers.get("sec-fetch-site") === "same-origin"
      : host !== undefined && own.includes(host)
  )
    return;
  throw new AppError("forbidden", "This request came from another site and was refused.");
}

/** Without what could end a directive of a policy. */
const safeOrigin = (origin: string): string => (/^https?:\/\/[\w.:[\]~/-]+$/.test(origin) ? origin : "");

const consoleOrigin = (origin: string): string => (URL.canParse(origin) ? new URL(origin).origin : "");

const PAGE_HEADERS = {
  // The page's own forms say where they come from.
  "Referrer-Policy": "same-origin",
  "X-Robots-Tag": "noindex, nofollow",
};

function showPage(token: string, { origin }: PublicCall, state: PageState, status = 200) {
  const widget = openWidget(token);
  const nonce = newSecret();
  const policy = { "Content-Security-Policy": visitorPolicy(widget, safeOrigin(origin), nonce) };
  return bytes(HTML, visitorPage(widget, state, nonce), { ...PAGE_HEADERS, ...policy }, status);
}

const STATUSES: Partial<Record<string, number>> = {
  not_found: 404,
  rate_limited: 429,
  forbidden: 403,
  unavailable: 503,
};

/** A refusal as a page, for people. */
function showRefusal(error: unknown) {
  if (!(error instanceof AppError)) throw error;
  const policy = "default-src 'none'; frame-ancestors *";
  const status = STATUSES[error.code] ?? 400;
  return bytes(
    HTML,
    closedPage(error.message),
    { ...PAGE_HEADERS, "Content-Security-Policy": policy },
    status,
  );
}

async function htmlOf(messages: readonly VisitorMessage[], origin: string) {
  const shown: { role: VisitorMessage["role"]; html: string }[] = [];
  for (const message of messages) {
    const { role, content } = message;
    if (content !== "")
      shown.push({
        role,
        html: role === "user" ? questionHtml(content) : await answerHtml(message, consoleOrigin(origin)),
      });
  }
  return shown;
}

/** The whole page again with the answer, for a browser without scripts. */
async function askByForm(
  token: string,
  call: PublicCall & Pick<Call<unknown>, "raw" | "address" | "signal">,
) {
  assertOwnPage(call);
  const form = new URLSearchParams((await call.raw()).toString("utf8"));
  const question = VisitorQuestion.parse({
    message: form.get("message")?.slice(0, 20_000) ?? "",
    visitor: form.get("visitor") ?? undefined,
    conversation: form.get("conversation") || undefined,
  });
  const { visitor, conversation } = question;
  try {
    const answer = await askWidget(token, question, call.address);
    onAbort(call.signal, answer.stop);
    const problem = problemOf(await answer.done);
    const messages = await htmlOf(
      readOwnConversation(token, answer.conversation, answer.visitor),
      call.origin,
    );
    return showPage(token, call, { ...answer, messages, problem });
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "not_found") throw error;
    const earlier = conversation ? readOwnConversation(token, conversation, visitor) : [];
    const messages = await htmlOf(earlier, call.origin);
    const state = { messages, problem: error.message, typed: question.message };
    const keys = earlier.length > 0 ? { visitor: visitor ?? "", conversation: conversation ?? "" } : {};
    return showPage(token, call, { ...state, ...keys }, STATUSES[error.code] ?? 400);
  }
}

/** Events `start` with the visitor's keys, `answer` with all HTML so far, and `end`. */
function stream(answer: VisitorAnswer, origin: string) {
  return events((sink) => {
    let isOver = false;
    let timer: NodeJS.Timeout | undefined;
    let showing = Promise.resolve();
    const send = (event: object) => sink.closed || sink.send(JSON.stringify(event));
    const fail = (error: unknown) => {
      log.error("a visitor's answer couldn't be sent", { error });
      sink.close();
    };
    const show = async () => {
      timer = undefined;
      const html = await answerHtml(answer.read(), consoleOrigin(origin));
      if (!isOver) send({ type: "answer", html });
    };
    send({ type: "start", visitor: answer.visitor, conversation: answer.conversation });
    answer.follow(() => {
      if (isOver) return;
      timer ??= setTimeout(() => {
        showing = showing.then(show).catch(fail);
      }, EVERY);
    });
    const finish = async () => {
      const message = await answer.done;
      isOver = true;
      clearTimeout(timer);
      const html = await answerHtml(message, consoleOrigin(origin));
      send({ type: "end", html, problem: problemOf(message) });
      sink.close();
    };
    finish().catch(fail);
    return () => {
      isOver = true;
      clearTimeout(timer);
      answer.stop();
    };
  });
}

export const widgetsApi = endpoints("Widgets", [
  endpoint({
    method: "GET",
    path: "/api/widgets",
    summary: "List widgets by name",
    access: "widgets.manage",
    response: z.array(Widget),
    handle: ({ actor }) => listWidgets(actor),
  }),
  endpoint({
    method: "POST",
    path: "/api/widgets",
    summary: "Create a widget with its budget",
    access: "widgets.manage",
    body: WidgetInput,
    response: Widget,
    status: 201,
    handle: ({ actor, body }) => {
      const widget = createWidget(actor, body);
      return created(widget, `/api/widgets/${widget.id}`);
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/widgets/{id}",
    summary: "Get a widget",
    access: "widgets.manage",
    params: WidgetId,
    response: Widget,
    handle: ({ actor, params }) => readWidget(actor, params.id),
  }),
  endpoint({
    method: "PATCH",
    path: "/api/widgets/{id}",
    summary: "Change a widget, or turn it on or off",
    access: "widgets.manage",
    params: WidgetId,
    body: WidgetUpdate,
    response: Widget,
    handle: ({ actor, params, body: { updatedAt, ...patch } }) =>
      updateWidget(actor, params.id, patch, updatedAt),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/widgets/{id}",
    summary: "Delete a widget with its conversations",
    access: "widgets.manage",
    params: WidgetId,
    status: 204,
    handle: ({ actor, params }) => void deleteWidget(actor, params.id),
  }),
  endpoint({
    method: "GET",
    path: "/api/widgets/{id}/conversations",
    summary: "List the conversations of visitors, newest first",
    access: "widgets.manage",
    params: WidgetId,
    query: WidgetListQuery,
    response: z.array(VisitorConversation),
    handle: ({ actor, params, query }) => {
      const { conversations, next } = listVisitorConversations(actor, params.id, query);
      return page(conversations, next);
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/widgets/{id}/conversations/{conversation}",
    summary: "Read a visitor's conversation",
    access: "widgets.manage",
    params: WidgetConversationId,
    response: z.array(VisitorMessage),
    handle: ({ actor, params }) => readVisitorConversation(actor, params.id, params.conversation),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/widgets/{id}/conversations/{conversation}",
    summary: "Delete a visitor's conversation",
    access: "widgets.manage",
    params: WidgetConversationId,
    status: 204,
    handle: ({ actor, params }) => deleteVisitorConversation(actor, params.id, params.conversation),
  }),
  endpoint({
    method: "GET",
    path: "/w/{token}",
    summary: "The page of a widget, for visitors",
    access: "public",
    params: PublicToken,
    produces: "text/html",
    refusals: [404],
    handle: (call) => {
      try {
        return showPage(call.params.token, call, {});
      } catch (error) {
        return showRefusal(error);
      }
    },
  }),
  endpoint({
    method: "POST",
    path: "/w/{token}",
    summary: "Ask by the form of a widget's page",
    access: "public",
    params: PublicToken,
    maxBytes: MAX_BODY,
    produces: "text/html",
    refusals: [403, 404, 413, 415, 429, 503],
    handle: async (call) => {
      try {
        return await askByForm(call.params.token, call);
      } catch (error) {
        return showRefusal(error);
      }
    },
  }),
  endpoint({
    method: "POST",
    path: "/w/{token}/messages",
    summary: "Ask by the script of a widget's page",
    description:
      "Only for the page itself: programs call the gateway. Events: `start` with the keys of the visitor and the conversation, " +
      "`answer` with all HTML so far, `end` with all HTML and a `problem`.",
    access: "public",
    params: PublicToken,
    rawBody: VisitorQuestion,
    maxBytes: MAX_BODY,
    produces: "text/event-stream",
    refusals: [400, 403, 404, 409, 413, 415, 429, 503],
    handle: async ({ params, headers, origin, address, json }) => {
      // Before the body, which may be anybody's.
      assertOwnPage({ headers, origin });
      const question = parseWith(VisitorQuestion, await json(), "body");
      return stream(await askWidget(params.token, question, address), origin);
    },
  }),
  endpoint({
    method: "GET",
    path: "/w/{token}/conversations/{conversation}",
    summary: "Show a visitor their conversation again",
    description: "The visitor's key is the header `X-Visitor`; with another one the list is empty.",
    access: "public",
    params: PublicConversation,
    response: z.array(z.object({ role: z.enum(["user", "assistant"]), html: z.string() })),
    refusals: [404],
    handle: ({ params: { token, conversation }, headers, origin }) =>
      htmlOf(readOwnConversation(token, conversation, headers.get("x-visitor") ?? undefined), origin),
  }),
]);

export const widgetPrograms: readonly Program[] = [{ under: "/w", callers: "anyone" }];
