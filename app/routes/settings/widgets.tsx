import { useActionData, useLoaderData, useSearchParams } from "@remix-run/react";
import { MessagesSquare, Plus } from "lucide-react";
import { intent, screen } from "~/http/screen.server";
import { Badge } from "~/ui/badge";
import { LinkButton } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { countOf } from "~/ui/format";
import { pageTitle, SectionHeader } from "~/ui/page-header";
import { Row } from "~/ui/row";
import { RowList } from "~/ui/row-selection";
import { lazyDialog } from "~/ui/use-open-dialog";
import { WidgetInput, WidgetQuery } from "~/work/widgets/widgets.schema";
import { createWidget, listWidgets, readWidgetChoices } from "~/work/widgets/widgets.service.server";
import { WIDGETS, widgetAddress } from "~/work/widgets/widgets.shared";

const WidgetDialog = lazyDialog(
  () => import("~/work/widgets/components/widget-dialog").then((module) => module.WidgetDialog),
  ({ closeTo }) => ({ title: "New Widget", closeTo, size: "lg" }),
);

export const meta = pageTitle("Widgets", "Settings");

const { loader, action } = screen({
  access: "widgets.manage",
  query: WidgetQuery,
  load: ({ actor, query: { dialog } }) => ({
    widgets: listWidgets(actor),
    choices: dialog === "new" ? readWidgetChoices(actor) : undefined,
  }),
  actions: {
    create: intent({
      access: "widgets.manage",
      input: WidgetInput,
      run: ({ actor, input }) => createWidget(actor, input),
      done: ({ id, name }) => ({ to: widgetAddress(id), toast: `Widget "${name}" created` }),
    }),
  },
});

export { action, loader };

export default function Widgets() {
  const { widgets, choices } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>()?.result;
  const [search] = useSearchParams();
  const add = (
    <LinkButton to="?dialog=new" preventScrollReset variant="primary" icon={<Plus />}>
      New Widget
    </LinkButton>
  );
  return (
    <section aria-labelledby="widgets" className="flex flex-col gap-4">
      <SectionHeader
        id="widgets"
        title="Widgets"
        subtitle="Chats for visitors of other sites, each with its own limits and budget."
        actions={widgets.length > 0 && add}
      />
      {widgets.length === 0 ? (
        <EmptyState
          icon={<MessagesSquare />}
          title="No widgets yet"
          description="Put a chat on your site that answers from a persona and the documents you choose."
          action={add}
        />
      ) : (
        <RowList label="Widgets">
          {widgets.map(({ id, name, state, problem, origins }) => (
            <Row
              key={id}
              name={name}
              to={widgetAddress(id)}
              icon={<MessagesSquare />}
              badges={<StateBadge state={state} problem={problem} />}
              meta={
                origins.length > 0
                  ? `${countOf(origins.length, "site")} · ${origins.join(", ")}`
                  : "On its own page only"
              }
            />
          ))}
        </RowList>
      )}
      {search.get("dialog") === "new" && choices && (
        <WidgetDialog choices={choices} closeTo={WIDGETS} result={result} />
      )}
    </section>
  );
}

function StateBadge({ state, problem }: { state: "open" | "off" | "ended"; problem: string | null }) {
  if (state === "off") return <Badge>Off</Badge>;
  if (state === "ended") return <Badge>Ended</Badge>;
  return problem ? <Badge tone="warning">Needs attention</Badge> : <Badge tone="success">Open</Badge>;
}
