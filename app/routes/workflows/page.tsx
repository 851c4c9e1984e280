import { useActionData, useLoaderData } from "@remix-run/react";
import { Plus, Workflow } from "lucide-react";
import { z } from "zod";
import { findOrExplain, intent, screen } from "~/http/screen.server";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import { may, refusal } from "~/platform/rights/authorization.server";
import { LinkButton } from "~/ui/button";
import { MessageDialog } from "~/ui/confirm-dialog";
import { EmptyState } from "~/ui/empty-state";
import { describeFailure, FAILURES } from "~/ui/failures";
import { countOf } from "~/ui/format";
import { JsonImportDialog } from "~/ui/json-import-dialog";
import { usePageAddress } from "~/ui/page-address";
import { PageHeader, pageTitle } from "~/ui/page-header";
import { CursorPages } from "~/ui/pagination";
import { PageTabs } from "~/ui/tabs";
import { TemplateList } from "~/work/workflows/components/template-list";
import { WorkflowCard } from "~/work/workflows/components/workflow-card";
import {
  DeleteWorkflowDialog,
  NewWorkflowDialog,
  TemplatesDialog,
} from "~/work/workflows/components/workflow-dialogs";
import { workflowTabs } from "~/work/workflows/components/workflow-tabs";
import { importWorkflow, listTemplates } from "~/work/workflows/exchange.service.server";
import { runWorkflow } from "~/work/workflows/runs.service.server";
import { describeWorkflow } from "~/work/workflows/screen.service.server";
import { ImportInput, QuickWorkflowInput } from "~/work/workflows/workflows.schema";
import {
  createQuickWorkflow,
  deleteWorkflow,
  duplicateWorkflow,
  pageWorkflows,
  readWorkflow,
  takeOverWorkflow,
  updateWorkflow,
} from "~/work/workflows/workflows.service.server";

const PAGE_SIZE = 60;
const UPDATE_FAILED = { toast: FAILURES.updateWorkflow };

export const meta = pageTitle("Workflows");

const Query = z.object({
  dialog: z.enum(["new", "templates", "import", "delete"]).optional().catch(undefined),
  id: z.string().max(64).optional(),
  created: z.string().max(64).optional(),
  cursor: z.string().max(200).optional(),
});

const enableIntent = (enabled: boolean) =>
  intent({
    access: "workflows.write",
    target: "id",
    run: ({ actor, target }) => updateWorkflow(actor, target, { enabled }),
    failed: UPDATE_FAILED,
  });

const { loader, action } = screen({
  access: "signed-in",
  query: Query,
  load: ({ actor, query }) => {
    const mayWrite = may(actor, "workflows.write");
    const dialog = mayWrite ? query.dialog : undefined;
    const { workflows, next } = pageWorkflows(actor, { limit: PAGE_SIZE, cursor: query.cursor });
    return {
      workflows: workflows.map((workflow) => describeWorkflow(actor, workflow)),
      next,
      query: { ...query, dialog },
      deleted: dialog === "delete" ? findOrExplain(() => readWorkflow(actor, query.id ?? "")) : {},
      templates:
        dialog === "templates" || (mayWrite && workflows.length === 0 && !query.cursor)
          ? listTemplates(actor)
          : [],
      refusal: mayWrite ? undefined : refusal("workflows.write"),
    };
  },
  actions: {
    create: intent({
      access: "workflows.write",
      input: QuickWorkflowInput,
      run: ({ actor, input }) => createQuickWorkflow(actor, input),
      done: ({ id }) => ({ to: `/workflows/builder?id=${id}`, toast: "Workflow created successfully" }),
      failed: { fields: FAILURES.createWorkflow },
    }),
    import: intent({
      access: "workflows.write",
      input: ImportInput,
      run: ({ actor, input }) => importWorkflow(actor, input.json),
      done: ({ id, remarks }) => ({
        to: `/workflows?created=${id}`,
        toast:
          remarks.length === 0
            ? "Workflow created successfully"
            : `Workflow created. Its description lists ${countOf(remarks.length, "node")} to look at`,
      }),
      failed: { fields: FAILURES.createWorkflow },
    }),
    run: intent({
      access: "workflows.write",
      target: "id",
      run: ({ actor, target }) => runWorkflow(actor, target, {}),
      done: "Workflow started successfully",
      failed: { toast: FAILURES.runWorkflow },
    }),
    enable: enableIntent(true),
    disable: enableIntent(false),
    duplicate: intent({
      access: "workflows.write",
      target: "id",
      run: ({ actor, target }) => duplicateWorkflow(actor, target),
      done: ({ id }) => ({ to: `/workflows?created=${id}`, toast: "Workflow duplicated" }),
      failed: { toast: "Couldn't duplicate the workflow" },
    }),
    "take-over": intent({
      access: "workflows.write",
      target: "id",
      run: ({ actor, target }) => takeOverWorkflow(actor, target),
      done: ({ name }) => `You took over "${name}"`,
      failed: UPDATE_FAILED,
    }),
    delete: intent({
      access: "workflows.write",
      target: "id",
      run: ({ actor, target }) => deleteWorkflow(actor, target),
      done: "Workflow deleted",
      failed: { dialog: FAILURES.deleteWorkflow },
    }),
  },
});

export { action, loader };

export default function Workflows() {
  const { workflows, next, query, deleted, templates, refusal } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>()?.result;
  useLiveTopics(["workflows"]);
  const address = usePageAddress();
  const closeTo = address();
  const newWorkflow = (label: string, variant: "primary" | "secondary") => (
    <LinkButton
      to={address({ dialog: "new" })}
      preventScrollReset
      variant={variant}
      icon={<Plus aria-hidden="true" />}
    >
      {label}
    </LinkButton>
  );
  return (
    <>
      <PageHeader
        title="Workflows"
        subtitle="Run work by hand, on a schedule or when something happens"
        actions={
          refusal ? (
            <p className="text-muted text-xs">{refusal}</p>
          ) : (
            <>
              <LinkButton to={address({ dialog: "import" })} preventScrollReset>
                Import
              </LinkButton>
              <LinkButton to={address({ dialog: "templates" })} preventScrollReset>
                Templates
              </LinkButton>
              {newWorkflow("New Workflow", "primary")}
            </>
          )
        }
      />
      <PageTabs label="Workflows" tabs={workflowTabs("list", !refusal)} />
      {workflows.length === 0 ? (
        <>
          <EmptyState
            icon={<Workflow />}
            title="No workflows yet"
            description="Create a workflow to run steps manually, on a schedule or by webhook."
            action={refusal ? undefined : newWorkflow("Create First Workflow", "secondary")}
          />
          {templates.length > 0 && (
            <section aria-labelledby="templates-title" className="mt-8">
              <h2 id="templates-title" className="mb-3 text-md">
                Or start with a template
              </h2>
              <TemplateList
                templates={templates}
                className="grid-cols-[repeat(auto-fill,minmax(min(18rem,100%),1fr))]"
              />
            </section>
          )}
        </>
      ) : (
        <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(22rem,100%),1fr))] gap-4">
          {workflows.map((workflow) => (
            <li key={workflow.id}>
              <WorkflowCard
                workflow={workflow}
                fresh={workflow.id === query.created}
                mayWrite={!refusal}
                deleteTo={address({ dialog: "delete", id: workflow.id })}
              />
            </li>
          ))}
        </ul>
      )}
      <CursorPages
        first={query.cursor && "/workflows"}
        next={next && `/workflows?cursor=${encodeURIComponent(next)}`}
        nextLabel="Older Workflows"
      />
      {query.dialog === "new" && <NewWorkflowDialog closeTo={closeTo} result={result} />}
      {query.dialog === "import" && (
        <JsonImportDialog
          title="Import Workflow"
          description="Add a workflow that was exported as JSON, here or by n8n. It starts disabled."
          submit="Import Workflow"
          closeTo={closeTo}
          result={result}
        />
      )}
      {query.dialog === "templates" && <TemplatesDialog closeTo={closeTo} templates={templates} />}
      {deleted.selected && (
        <DeleteWorkflowDialog name={deleted.selected.name} id={deleted.selected.id} closeTo={closeTo} />
      )}
      {deleted.missing && (
        <MessageDialog
          title={FAILURES.deleteWorkflow.title}
          description={describeFailure(FAILURES.deleteWorkflow, deleted.missing)}
          closeTo={closeTo}
        />
      )}
    </>
  );
}
