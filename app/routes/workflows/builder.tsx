import { type ShouldRevalidateFunction, useActionData, useLoaderData } from "@remix-run/react";
import { useState } from "react";
import { findOrExplain, intent, screen } from "~/http/screen.server";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import { describeFailure, FAILURES } from "~/ui/failures";
import { pageTitle } from "~/ui/page-header";
import { BuilderQuery } from "~/work/workflows/builder.schema";
import {
  BuilderForm,
  changeDraft,
  checkDraft,
  readBuilder,
  runDraft,
  saveDraft,
} from "~/work/workflows/builder.service.server";
import { acceptedSave } from "~/work/workflows/components/builder/accepted-save";
import { Builder } from "~/work/workflows/components/builder/builder";
import { pinDraftStep, tryDraftStep } from "~/work/workflows/try-draft.service.server";

export const meta = pageTitle("Visual Builder");

/** The builder of a saved workflow, in the view that the address named. */
function builderAddress(url: URL, id: string, run?: string): string {
  const view = url.searchParams.get("view");
  const shown = { id, ...(run && { run }), ...(view && { view }) };
  return `/workflows/builder?${new URLSearchParams(shown)}`;
}

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
      done: ({ workflow, created }, { url }) => ({
        to: builderAddress(url, workflow.id),
        toast: created ? "Workflow created successfully" : "Workflow saved",
        replace: true,
      }),
    }),
    run: intent({
      access: "workflows.write",
      input: BuilderForm,
      run: ({ actor, input }) => runDraft(actor, input),
      done: ({ workflow, runId, refusal }, { url }) => ({
        to: builderAddress(url, workflow.id, runId),
        replace: true,
        ...(refusal !== undefined && {
          toast: {
            kind: "error" as const,
            title: FAILURES.runWorkflow.title,
            description: describeFailure(FAILURES.runWorkflow, refusal),
          },
        }),
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

export { sendBuilderForm as clientAction } from "~/work/workflows/components/builder/accepted-save";
export { action, loader };

/** Statuses after which the next save replaces the newer version, or creates the deleted workflow again. */
const CHANGED = [404, 409];

/** What they change is loaded again: the outputs of the last run. */
const CHANGES_SAMPLES = ["pin", "unpin"];

/**
 * Other responses must not reload the page's draft; a redirect, which has no status, follows a save. A check that ends
 * while the page goes on to a run's address stands for that navigation: the router completes it with what is loaded here.
 */
export const shouldRevalidate: ShouldRevalidateFunction = ({
  actionStatus,
  formData,
  formMethod,
  defaultShouldRevalidate,
  currentUrl,
  nextUrl,
}) =>
  formMethod === "POST" &&
  actionStatus !== undefined &&
  !CHANGED.includes(actionStatus) &&
  !CHANGES_SAMPLES.includes(String(formData?.get("intent"))) &&
  currentUrl.pathname === nextUrl.pathname &&
  currentUrl.search === nextUrl.search
    ? false
    : defaultShouldRevalidate;

/** A new workflow's page stays the same, with what can be undone, when it gets the address of the saved one. */
function useSession(id: string | undefined, page: string): string {
  const [session, setSession] = useState({ key: page, page, last: acceptedSave() });
  if (session.page === page) return session.key;
  const accepted = acceptedSave();
  const isSaved = accepted !== session.last && accepted?.id === id;
  const next = { key: isSaved ? session.key : page, page, last: accepted };
  setSession(next);
  return next.key;
}

export default function WorkflowBuilder() {
  const loaded = useLoaderData<typeof loader>();
  const actionData = useActionData<typeof action>();
  const { query, run } = loaded;
  useLiveTopics(["workflows"], { isPaused: !run?.isOpen });
  const page = `${query.id ?? ""} ${query.template ?? ""}`;
  const session = useSession(query.id, page);
  const changed = actionData?.shown && "draft" in actionData.shown ? actionData.shown : undefined;
  return (
    <Builder
      key={session}
      page={page}
      types={loaded.types}
      choices={loaded.choices}
      names={loaded.names}
      facts={changed?.facts ?? loaded.facts}
      samples={loaded.samples}
      start={changed?.draft ?? loaded.draft}
      isEnabled={loaded.isEnabled}
      run={run}
      missing={loaded.missing}
      view={query.view}
      result={actionData?.result}
      tried={actionData?.shown && "tried" in actionData.shown ? actionData.shown : undefined}
    />
  );
}
