import { type ShouldRevalidateFunction, useActionData, useLoaderData } from "@remix-run/react";
import { findOrExplain, intent, screen } from "~/http/screen.server";
import { PageHeader, pageTitle } from "~/ui/page-header";
import { PageTabs } from "~/ui/tabs";
import { BuilderQuery } from "~/work/workflows/builder.schema";
import {
  BuilderForm,
  changeDraft,
  checkDraft,
  readBuilder,
  saveDraft,
} from "~/work/workflows/builder.service.server";
import { Builder } from "~/work/workflows/components/builder/builder";
import { workflowTabs } from "~/work/workflows/components/workflow-tabs";
import { pinDraftStep, tryDraftStep } from "~/work/workflows/try-draft.service.server";

export const meta = pageTitle("Visual Builder");

const pinIntent = (isPinned: boolean) =>
  intent({
    access: "workflows.write",
    input: BuilderForm,
    run: ({ actor, input }) => pinDraftStep(actor, input, isPinned),
    done: (changed) => ({ show: changed }),
    failed: { toast: isPinned ? "Couldn't pin the output" : "Couldn't unpin the output" },
  });

const { loader, action } = screen({
  access: "workflows.write",
  query: BuilderQuery,
  load: ({ actor, query }) => {
    const read = () => readBuilder(actor, query);
    const { selected, missing } = query.id === undefined ? { selected: read() } : findOrExplain(read);
    return { ...(selected ?? readBuilder(actor, {})), missing, query };
  },
  actions: {
    // List buttons return the changed draft.
    submit: intent({
      access: "workflows.write",
      input: BuilderForm,
      run: ({ actor, input }) => changeDraft(actor, input),
      done: (changed) => ({ show: changed }),
    }),
    save: intent({
      access: "workflows.write",
      input: BuilderForm,
      run: ({ actor, input }) => saveDraft(actor, input),
      done: ({ created }) => ({
        to: "/workflows",
        toast: created ? "Workflow created successfully" : "Workflow saved",
      }),
    }),
    try: intent({
      access: "workflows.write",
      input: BuilderForm,
      run: ({ actor, input, context }) => tryDraftStep(actor, input, context.closed),
      done: (result) => ({ show: result }),
    }),
    "try-up-to": intent({
      access: "workflows.write",
      input: BuilderForm,
      run: ({ actor, input, context }) => tryDraftStep(actor, input, context.closed, true),
      done: (result) => ({ show: result }),
    }),
    pin: pinIntent(true),
    unpin: pinIntent(false),
    check: intent({
      access: "workflows.write",
      input: BuilderForm,
      run: ({ actor, input }) => checkDraft(actor, input),
      done: (checked) => ({ show: checked }),
    }),
  },
});

export { action, loader };

/** Statuses after which the next save replaces the newer version, or creates the deleted workflow again. */
const CHANGED = [404, 409];

/** What they change is loaded again: the outputs of the last run. */
const CHANGES_SAMPLES = ["pin", "unpin"];

/** Other responses must not reload the page's draft. */
export const shouldRevalidate: ShouldRevalidateFunction = ({
  actionStatus,
  formData,
  formMethod,
  defaultShouldRevalidate,
  currentUrl,
  nextUrl,
}) =>
  formMethod === "POST" &&
  !CHANGED.includes(actionStatus ?? 0) &&
  !CHANGES_SAMPLES.includes(String(formData?.get("intent"))) &&
  currentUrl.pathname === nextUrl.pathname
    ? false
    : defaultShouldRevalidate;

export default function WorkflowBuilder() {
  const loaded = useLoaderData<typeof loader>();
  const actionData = useActionData<typeof action>();
  const { query } = loaded;
  const page = `${query.id ?? ""} ${query.template ?? ""}`;
  const changed = actionData?.shown && "draft" in actionData.shown ? actionData.shown : undefined;
  return (
    <>
      <PageHeader
        title="Workflows"
        subtitle="Build automations that run manually, on a schedule or by webhook"
      />
      <PageTabs label="Workflows" tabs={workflowTabs("builder", true)} />
      <Builder
        key={page}
        page={page}
        types={loaded.types}
        choices={loaded.choices}
        names={loaded.names}
        facts={changed?.facts ?? loaded.facts}
        samples={loaded.samples}
        start={changed?.draft ?? loaded.draft}
        missing={loaded.missing}
        view={query.view}
        result={actionData?.result}
        tried={actionData?.shown && "tried" in actionData.shown ? actionData.shown : undefined}
      />
    </>
  );
}
