import { z } from "zod";
import { decodeText } from "~/core/parse";
import { created, endpoint, endpoints, nothing, page } from "~/platform/endpoint/endpoint.shared";
import { ExportedWorkflow, exportWorkflow, importWorkflow, WorkflowExport } from "./exchange.service.server";
import { listWebhooks, rotateWebhook } from "./hooks.service.server";
import { checkNow, listPolls } from "./polls/polls.service.server";
import { Pin, PinInput, PinParams, TriedStep, TryStepInput } from "./runs.schema";
import { listPinnedOutputs, pinStepOutput, unpinOutput } from "./samples.service.server";
import { tryStep } from "./try-step.service.server";
import { compareVersions } from "./versions.service.server";
import {
  CompareQuery,
  MAX_IMPORT,
  PartId,
  Poll,
  VersionChanges,
  VersionParams,
  Webhook,
  Workflow,
  WorkflowDefinition,
  WorkflowId,
  WorkflowInput,
  WorkflowPatch,
  WorkflowQuery,
  WorkflowVersion,
} from "./workflows.schema";
import {
  createWorkflow,
  deleteWorkflow,
  duplicateWorkflow,
  listVersions,
  pageWorkflows,
  readVersion,
  readWorkflow,
  restoreVersion,
  takeOverWorkflow,
  updateWorkflow,
} from "./workflows.service.server";

const WRITE = { access: "workflows.write", params: WorkflowId, response: Workflow } as const;

const TriggerParams = z.object({ id: z.string().max(64), trigger: PartId });

const CHANGE = {
  ...WRITE,
  summary: "Change a workflow",
  description:
    "A changed definition is a new version. With `version` or `updatedAt`, a change is refused (409) if it would replace a newer one.",
  body: WorkflowPatch,
} as const;

export const workflowsApi = endpoints("Workflows", [
  endpoint({
    method: "GET",
    path: "/api/workflows/{id}/versions/{version}/changes",
    summary: "Compare a version with an earlier one",
    access: "screens.read",
    params: VersionParams,
    query: CompareQuery,
    response: VersionChanges,
    handle: ({ actor, params, query }) => compareVersions(actor, params.id, query.since, params.version),
  }),
  endpoint({
    ...WRITE,
    method: "POST",
    path: "/api/workflows/{id}/duplicate",
    summary: "Create a disabled copy of a workflow",
    status: 201,
    handle: ({ actor, params }) => {
      const copy = duplicateWorkflow(actor, params.id);
      return created(copy, `/api/workflows/${copy.id}`);
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/workflows/{id}/export",
    summary: "Export a workflow without ids, people and addresses",
    access: "screens.read",
    params: WorkflowId,
    response: WorkflowExport,
    handle: ({ actor, params }) => exportWorkflow(actor, params.id),
  }),
  endpoint({
    method: "POST",
    path: "/api/workflows/import",
    summary: "Import a workflow of this console or n8n as a disabled one",
    description:
      "The body is the exported file. `remarks` names the nodes of n8n that aren't imported as they were; the " +
      "workflow's description says why.",
    access: "workflows.write",
    rawBody: ExportedWorkflow,
    maxBytes: MAX_IMPORT,
    response: Workflow.extend({ remarks: z.array(z.string()) }),
    status: 201,
    handle: async ({ actor, raw }) => {
      const workflow = importWorkflow(actor, decodeText(await raw()));
      return created(workflow, `/api/workflows/${workflow.id}`);
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/workflows/{id}/pins",
    summary: "List a workflow's pinned outputs",
    description: "Trying a step uses them in place of running the steps before it. Runs don't.",
    access: "workflows.write",
    params: WorkflowId,
    response: z.array(Pin),
    handle: ({ actor, params }) => listPinnedOutputs(actor, params.id),
  }),
  endpoint({
    method: "PUT",
    path: "/api/workflows/{id}/pins/{step}",
    summary: "Pin a step's output of a run",
    description: "It takes the place of an earlier pin. At most 256 KB can be pinned.",
    access: "workflows.write",
    params: PinParams,
    body: PinInput,
    response: Pin,
    handle: ({ actor, params, body }) => pinStepOutput(actor, params.id, params.step, body.runId),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/workflows/{id}/pins/{step}",
    summary: "Unpin a step's output",
    access: "workflows.write",
    params: PinParams,
    status: 204,
    handle: ({ actor, params }) => {
      unpinOutput(actor, params.id, params.step);
      return nothing();
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/workflows/{id}",
    summary: "Get a workflow",
    access: "screens.read",
    params: WorkflowId,
    response: Workflow,
    handle: ({ actor, params }) => readWorkflow(actor, params.id),
  }),
  endpoint({
    ...CHANGE,
    method: "PUT",
    path: "/api/workflows/{id}",
    handle: ({ actor, params, body }) => updateWorkflow(actor, params.id, body),
  }),
  endpoint({
    ...CHANGE,
    method: "PATCH",
    path: "/api/workflows/{id}",
    handle: ({ actor, params, body }) => updateWorkflow(actor, params.id, body),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/workflows/{id}",
    summary: "Delete a workflow with its versions and runs",
    access: "workflows.write",
    params: WorkflowId,
    status: 204,
    handle: ({ actor, params }) => {
      deleteWorkflow(actor, params.id);
      return nothing();
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/workflows",
    summary: "List workflows, newest first",
    access: "screens.read",
    query: WorkflowQuery,
    response: z.array(Workflow),
    handle: ({ actor, query }) => {
      const { workflows, next } = pageWorkflows(actor, query);
      return page(workflows, next);
    },
  }),
  endpoint({
    method: "POST",
    path: "/api/workflows",
    summary: "Create a workflow",
    description:
      "Triggers and steps without an id get one from their type. Steps without connections run in order.",
    access: "workflows.write",
    body: WorkflowInput,
    response: Workflow,
    status: 201,
    handle: ({ actor, body }) => {
      const workflow = createWorkflow(actor, body);
      return created(workflow, `/api/workflows/${workflow.id}`);
    },
  }),
  endpoint({
    method: "POST",
    path: "/api/workflows/{id}/versions/{version}/restore",
    summary: "Restore an earlier version",
    access: "workflows.write",
    params: VersionParams,
    response: Workflow,
    handle: ({ actor, params }) => restoreVersion(actor, params.id, params.version),
  }),
  endpoint({
    ...WRITE,
    method: "POST",
    path: "/api/workflows/{id}/take-over",
    summary: "Run a workflow with your permissions",
    handle: ({ actor, params }) => takeOverWorkflow(actor, params.id),
  }),
  endpoint({
    method: "POST",
    path: "/api/workflows/try-step",
    summary: "Run one step with sample input",
    description:
      "The step has its real effects, with the caller's rights, and is not part of a run. Its failure is part of the " +
      "response.",
    access: "workflows.write",
    body: TryStepInput,
    response: TriedStep,
    handle: ({ actor, body, signal }) => tryStep(actor, body, signal),
  }),
  endpoint({
    method: "GET",
    path: "/api/workflows/{id}/versions/{version}",
    summary: "Get the triggers, steps and connections of a version",
    access: "screens.read",
    params: VersionParams,
    response: WorkflowDefinition,
    handle: ({ actor, params }) => readVersion(actor, params.id, params.version),
  }),
  endpoint({
    method: "GET",
    path: "/api/workflows/{id}/versions",
    summary: "List a workflow's versions, newest first",
    access: "screens.read",
    params: WorkflowId,
    response: z.array(WorkflowVersion),
    handle: ({ actor, params }) => listVersions(actor, params.id),
  }),
  endpoint({
    method: "GET",
    path: "/api/workflows/{id}/checks",
    summary: "List how a workflow's feeds and mailboxes were checked",
    access: "workflows.write",
    params: WorkflowId,
    response: z.array(Poll),
    handle: ({ actor, params }) => listPolls(actor, params.id),
  }),
  endpoint({
    method: "POST",
    path: "/api/workflows/{id}/checks/{trigger}",
    summary: "Check a trigger's feed or mailbox now",
    access: "workflows.write",
    params: TriggerParams,
    response: Poll,
    status: 202,
    handle: ({ actor, params }) => checkNow(actor, params.id, params.trigger),
  }),
  endpoint({
    method: "POST",
    path: "/api/workflows/{id}/webhooks/{trigger}/rotate",
    summary: "Change a webhook trigger's secret address",
    access: "workflows.write",
    params: TriggerParams,
    response: Webhook,
    handle: ({ actor, params }) => rotateWebhook(actor, params.id, params.trigger),
  }),
  endpoint({
    method: "GET",
    path: "/api/workflows/{id}/webhooks",
    summary: "List the secret addresses of a workflow's webhook triggers",
    access: "workflows.write",
    params: WorkflowId,
    response: z.array(Webhook),
    handle: ({ actor, params }) => listWebhooks(actor, params.id),
  }),
]);
