import { Form, useActionData, useLoaderData, useSearchParams } from "@remix-run/react";
import { ArrowLeft, ExternalLink, MessagesSquare, Pencil, Power, Trash2 } from "lucide-react";
import { intent, screen } from "~/http/screen.server";
import { Button, LinkButton } from "~/ui/button";
import { ConfirmDialog, RecordDialog } from "~/ui/confirm-dialog";
import { CopyLine } from "~/ui/copy-line";
import { EmptyState } from "~/ui/empty-state";
import { countOf } from "~/ui/format";
import { Notice } from "~/ui/notice";
import { usePageAddress } from "~/ui/page-address";
import { BackLink, pageTitle, SectionHeader } from "~/ui/page-header";
import { CursorPages } from "~/ui/pagination";
import { Row } from "~/ui/row";
import { RowList } from "~/ui/row-selection";
import { RelativeTime } from "~/ui/time";
import { lazyDialog } from "~/ui/use-open-dialog";
import { type VisitorMessage, WidgetQuery, WidgetUpdateForm } from "~/work/widgets/widgets.schema";
import {
  deleteVisitorConversation,
  deleteWidget,
  listVisitorConversations,
  readVisitorConversation,
  readWidget,
  readWidgetChoices,
  updateWidget,
} from "~/work/widgets/widgets.service.server";
import { snippetOf, sourceText, WIDGETS, widgetAddress } from "~/work/widgets/widgets.shared";

const WidgetDialog = lazyDialog(
  () => import("~/work/widgets/components/widget-dialog").then((module) => module.WidgetDialog),
  ({ closeTo }) => ({ title: "Edit Widget", closeTo, size: "lg" }),
);

export const meta = pageTitle("Widget", "Settings");

const ON_PAGE = 50;

const turn = (enabled: boolean) =>
  intent({
    access: "widgets.manage",
    run: ({ actor, params: { widgetId = "" } }) => updateWidget(actor, widgetId, { enabled }),
    done: enabled ? "Widget turned on" : "Widget turned off",
  });

const { loader, action } = screen({
  access: "widgets.manage",
  query: WidgetQuery,
  load: ({ actor, params: { widgetId = "" }, query, context: { origin } }) => ({
    widget: readWidget(actor, widgetId),
    ...listVisitorConversations(actor, widgetId, { limit: ON_PAGE, cursor: query.cursor }),
    messages: query.conversation ? readVisitorConversation(actor, widgetId, query.conversation) : undefined,
    choices: query.dialog === "edit" ? readWidgetChoices(actor) : undefined,
    query,
    origin,
  }),
  actions: {
    update: intent({
      access: "widgets.manage",
      input: WidgetUpdateForm,
      run: ({ actor, params: { widgetId = "" }, input: { updatedAt, ...fields } }) =>
        updateWidget(actor, widgetId, fields, updatedAt),
      done: ({ name }) => `Widget "${name}" saved`,
    }),
    enable: turn(true),
    disable: turn(false),
    delete: intent({
      access: "widgets.manage",
      run: ({ actor, params: { widgetId = "" } }) => deleteWidget(actor, widgetId),
      done: ({ name }) => ({ to: WIDGETS, toast: `Widget "${name}" deleted` }),
      failed: { dialog: "Couldn't delete the widget" },
    }),
    "delete-conversation": intent({
      access: "widgets.manage",
      target: "id",
      run: ({ actor, params: { widgetId = "" }, target }) =>
        deleteVisitorConversation(actor, widgetId, target),
      done: (_, { params: { widgetId = "" } }) => ({
        to: widgetAddress(widgetId),
        toast: "Conversation deleted",
      }),
      failed: { dialog: "Couldn't delete the conversation" },
    }),
  },
});

export { action, loader };

export default function WidgetScreen() {
  const { widget, conversations, total, next, messages, choices, query, origin } =
    useLoaderData<typeof loader>();
  const result = useActionData<typeof action>()?.result;
  const [search] = useSearchParams();
  const dialog = search.get("dialog");
  const here = widgetAddress(widget.id);
  const address = usePageAddress();
  const opened = query.conversation;
  const deleted = [...conversations.map(({ id }) => id), opened].find((id) => id === search.get("id"));
  return (
    <section aria-labelledby="widget" className="flex flex-col gap-4">
      <SectionHeader
        id="widget"
        title={widget.name}
        subtitle={STATES[widget.state]}
        actions={
          <>
            <BackLink to={WIDGETS}>Widgets</BackLink>
            <LinkButton
              to={widget.path}
              target="_blank"
              rel="noreferrer"
              reloadDocument
              icon={<ExternalLink />}
            >
              Open
            </LinkButton>
            <LinkButton to="?dialog=edit" preventScrollReset icon={<Pencil />}>
              Edit
            </LinkButton>
            <LinkButton to="?dialog=delete" preventScrollReset icon={<Trash2 />}>
              Delete
            </LinkButton>
            <Form method="post" preventScrollReset>
              <Button name="intent" value={widget.enabled ? "disable" : "enable"} icon={<Power />}>
                {widget.enabled ? "Turn Off" : "Turn On"}
              </Button>
            </Form>
          </>
        }
      />
      {widget.problem && <Notice kind="warning">It can't answer: {widget.problem}</Notice>}
      <CopyLine
        line={snippetOf(origin, widget)}
        rest=""
        hint={
          widget.origins.length > 0
            ? `Paste this line before the end of a page's body. Shown on ${widget.origins.join(", ")}.`
            : "No site may show it yet: add allowed sites, then paste this line before the end of a page's body."
        }
      />
      {opened && messages ? (
        <Conversation id={opened} messages={messages} here={here} />
      ) : (
        <section aria-labelledby="conversations" className="flex flex-col gap-2">
          <h3 id="conversations" className="text-sm">
            Conversations <span className="font-normal text-muted tabular-nums">{total}</span>
          </h3>
          {conversations.length === 0 ? (
            <EmptyState
              icon={<MessagesSquare />}
              title="No conversations"
              description={`What visitors ask is kept for ${countOf(widget.retentionDays, "day")}.`}
            />
          ) : (
            <RowList label="Conversations">
              {conversations.map(({ id, firstMessage, questions, updatedAt }) => (
                <Row
                  key={id}
                  name={firstMessage}
                  to={`${here}?conversation=${id}`}
                  icon={<MessagesSquare />}
                  meta={countOf(questions, "message")}
                  aside={<RelativeTime at={Date.parse(updatedAt)} />}
                  actions={[
                    { label: "Delete", icon: <Trash2 />, to: address({ dialog: "delete-conversation", id }) },
                  ]}
                />
              ))}
            </RowList>
          )}
          <CursorPages
            first={query.cursor ? here : undefined}
            next={next && `${here}?${new URLSearchParams({ cursor: next })}`}
            nextLabel="Older"
          />
        </section>
      )}
      {dialog === "edit" && choices && (
        <WidgetDialog key={widget.id} widget={widget} choices={choices} closeTo={here} result={result} />
      )}
      {dialog === "delete" && (
        <ConfirmDialog
          title={`Delete the widget "${widget.name}"?`}
          description={`It closes at once wherever it is embedded, and ${countOf(total, "conversation")} of visitors go with it. This can't be undone.`}
          closeTo={here}
          intent="delete"
          confirmLabel="Delete Widget"
        />
      )}
      {dialog === "delete-conversation" && (
        <RecordDialog
          record={deleted}
          missing="Conversation not found. It may have been deleted."
          closeTo={address()}
        >
          {(id) => (
            <ConfirmDialog
              title="Delete this conversation?"
              description="The visitor's page no longer shows it either. This can't be undone."
              closeTo={address()}
              intent="delete-conversation"
              values={{ id }}
              confirmLabel="Delete"
            />
          )}
        </RecordDialog>
      )}
    </section>
  );
}

const STATES = {
  open: "Open to visitors",
  off: "Turned off",
  ended: "Ended on its last day",
} as const;

function Conversation({ id, messages, here }: { id: string; messages: VisitorMessage[]; here: string }) {
  return (
    <section aria-labelledby="conversation" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 id="conversation" className="text-sm">
          Conversation
        </h3>
        <span className="flex flex-wrap gap-2">
          <LinkButton to={here} preventScrollReset icon={<ArrowLeft />}>
            All Conversations
          </LinkButton>
          <LinkButton
            to={`?conversation=${id}&dialog=delete-conversation&id=${id}`}
            preventScrollReset
            icon={<Trash2 />}
          >
            Delete Conversation
          </LinkButton>
        </span>
      </div>
      <ol className="flex flex-col gap-3">
        {messages.map(({ id: messageId, role, content, sources, status, timestamp }) => (
          <li key={messageId} className="rounded-md border border-line bg-surface px-4 py-3">
            <p className="mb-1 flex gap-2 text-muted text-xs">
              {role === "user" ? "Visitor" : "Answer"} <RelativeTime at={Date.parse(timestamp)} />
              {status !== "complete" && <span>{status === "failed" ? "Failed" : "Stopped"}</span>}
            </p>
            <p className="wrap-anywhere whitespace-pre-wrap text-sm">{content}</p>
            {sources.length > 0 && (
              <p className="mt-2 text-muted text-xs">Sources: {sources.map(sourceText).join(" · ")}</p>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
