import { z } from "zod";
import { onAbort } from "~/core/abort";
import { AppError, statusOf } from "~/core/errors";
import { newSecret } from "~/core/ids.server";
import { log } from "~/core/log.server";
import {
  type Answer,
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
  answersHtml,
  closedPage,
  conversationHtml,
  type PageState,
  visitorPage,
  visitorPolicy,
} from "./visitor-page.server";
import { askWidget, openWidget, readOwnConversation, type VisitorAnswer } from "./visitors.service.server";
import {
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

/** In bytes, of a question with its keys. */
const MAX_BODY = 100_000;
/** Between two versions of an answer that is written, in ms. */
const EVERY = 300;

const PROBLEMS: Record<VisitorMessage["status"], string> = {
  complete: "",
  stopped: "The answer was stopped.",
  failed: "The answer couldn't be written. Try again later.",
};

type Visit = Pick<Call<unknown, z.infer<typeof PublicToken>>, "params" | "headers" | "origin" | "address">;

const originOf = (address: string): string => (URL.canParse(address) ? new URL(address).origin : "");

function html(body: string, policy: string, status: number): Answer {
  return bytes(
    "text/html; charset=utf-8",
    body,
    {
      // The page's own forms say where they come from.
      "Referrer-Policy": "same-origin",
      "X-Robots-Tag": "noindex, nofollow",
      "Content-Security-Policy": policy,
    },
    status,
  );
}

async function showPage({ params, origin, address }: Visit, state: PageState, status = 200): Promise<Answer> {
  const widget = openWidget(params.token);
  const said = await conversationHtml(readOwnConversation(widget, state, address), originOf(origin));
  const nonce = newSecret();
  // A host header can't end a directive of the policy.
  const safe = /^https?:\/\/[\w.:[\]~/-]+$/.test(origin) ? origin : "";
  return html(visitorPage(widget, { ...state, said }, nonce), visitorPolicy(widget, safe, nonce), status);
}

/** A refusal as a page, for people. @param show shows it beside what they typed; may be refused too */
async function orRefusal(
  answer: () => Promise<Answer>,
  show?: (message: string, status: number) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const status = statusOf(error.code);
    if (show && error.code !== "not_found") return orRefusal(() => show(error.message, status));
    const nonce = newSecret();
    const policy = `default-src 'none';style-src 'nonce-${nonce}';base-uri 'none';frame-ancestors *`;
    return html(closedPage(error.message, nonce), policy, status);
  }
}

/** Answers a question by the whole page again, or to its script as it is written. */
async function answerQuestion(call: Visit & Pick<Call, "raw" | "signal">): Promise<Answer> {
  const form = new URLSearchParams((await call.raw()).toString("utf8"));
  const { message, ...keys } = VisitorQuestion.parse(Object.fromEntries(form));
  if (message === undefined) return orRefusal(() => showPage(call, keys));
  const isScript = call.headers.get("accept") === "text/event-stream";
  const ask = async () => {
    const answer = await askWidget(call.params.token, { ...keys, message }, call.address);
    if (isScript) return stream(answer, originOf(call.origin));
    onAbort(call.signal, answer.stop);
    const { visitor, conversation } = answer;
    return showPage(call, { visitor, conversation, problem: PROBLEMS[(await answer.done).status] });
  };
  return orRefusal(ask, (problem, status) =>
    showPage(call, { ...(isScript ? {} : keys), problem, typed: message }, status),
  );
}

/** Events `start` with the visitor's keys, `answer` with all HTML so far, and `end`. */
function stream(answer: VisitorAnswer, own: string): Answer {
  return events((sink) => {
    let isOver = false;
    let timer: NodeJS.Timeout | undefined;
    const send = (event: object) => sink.closed || sink.send(JSON.stringify(event));
    const htmlOf = async (one: Parameters<typeof answersHtml>[0][number]) =>
      (await answersHtml([one], own))[0];
    const guard = (work: Promise<void>) =>
      void work.catch((error: unknown) => {
        log.error("a visitor's answer couldn't be sent", { error });
        sink.close();
      });
    const show = async () => {
      const html = await htmlOf(answer.read());
      timer = undefined;
      if (!isOver) send({ type: "answer", html });
    };
    const finish = async () => {
      const message = await answer.done;
      isOver = true;
      clearTimeout(timer);
      send({ type: "end", html: await htmlOf(message), problem: PROBLEMS[message.status] });
      sink.close();
    };
    send({ type: "start", visitor: answer.visitor, conversation: answer.conversation });
    answer.follow(() => {
      if (!isOver) timer ??= setTimeout(() => guard(show()), EVERY);
    });
    guard(finish());
    return () => {
      isOver = true;
      clearTimeout(timer);
      answer.stop();
    };
  });
}

const manage = { access: "widgets.manage", params: WidgetId } as const;

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
    ...manage,
    method: "GET",
    path: "/api/widgets/{id}",
    summary: "Get a widget",
    response: Widget,
    handle: ({ actor, params }) => readWidget(actor, params.id),
  }),
  endpoint({
    ...manage,
    method: "PATCH",
    path: "/api/widgets/{id}",
    summary: "Change a widget, or turn it on or off",
    body: WidgetUpdate,
    response: Widget,
    handle: ({ actor, params, body: { updatedAt, ...patch } }) =>
      updateWidget(actor, params.id, patch, updatedAt),
  }),
  endpoint({
    ...manage,
    method: "DELETE",
    path: "/api/widgets/{id}",
    summary: "Delete a widget with its conversations",
    status: 204,
    handle: ({ actor, params }) => void deleteWidget(actor, params.id),
  }),
  endpoint({
    ...manage,
    method: "GET",
    path: "/api/widgets/{id}/conversations",
    summary: "List the conversations of visitors, newest first",
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
    handle: (call) => orRefusal(() => showPage(call, {})),
  }),
  endpoint({
    method: "POST",
    path: "/w/{token}",
    summary: "Ask by the form of a widget's page",
    description:
      "Only for the page itself: programs call the gateway. The page comes again with the answer, or without a message with what was said. To its script, which " +
      "accepts `text/event-stream`, come the events `start` with the keys of the visitor and the conversation, `answer` " +
      "with all HTML so far, and `end` with all HTML and a `problem`.",
    access: "public",
    params: PublicToken,
    maxBytes: MAX_BODY,
    produces: ["text/html", "text/event-stream"],
    refusals: [400, 403, 404, 409, 413, 429, 503],
    handle: answerQuestion,
  }),
]);

export const widgetPrograms: readonly Program[] = [{ under: "/w", callers: "anyone", isOwnPage: true }];
