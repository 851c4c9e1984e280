import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { fieldErrorsOf, parsePastedJson } from "~/core/parse";
import { authorise } from "~/platform/rights/authorization.server";
import { workflowSources } from "./contributed/contributed-steps.service.server";
import { templates, type WorkflowTemplate } from "./templates";
import { type Workflow, WorkflowInput } from "./workflows.schema";
import { createWorkflow, readWorkflow } from "./workflows.service.server";

/** Without ids, people, addresses or times. */
export function exportWorkflow(actor: Actor, id: string) {
  const { name, description, triggers, steps, connections } = readWorkflow(actor, id);
  return { format: "workflow/1", name, description, triggers, steps, connections };
}

/** Disabled. @throws AppError `invalid` */
export function importWorkflow(actor: Actor, json: string): Workflow {
  const parsed = WorkflowInput.safeParse(parsePastedJson(json));
  if (!parsed.success) {
    const [first] = Object.entries(fieldErrorsOf(parsed.error));
    const message = first
      ? `${first[0]}: ${first[1][0]}`
      : "Not a workflow. Paste a workflow exported as JSON";
    throw new AppError("invalid", `${message}.`, { fields: { json: [message] } });
  }
  return createWorkflow(actor, parsed.data, { enabled: false });
}

interface OfferedTemplate extends WorkflowTemplate {
  /** The plugin's title. */
  from?: string;
}

/** Built in, then active plugins'. */
const listAllTemplates = (orgId: string): readonly OfferedTemplate[] => [
  ...templates,
  ...[...workflowSources()].flatMap((source) =>
    source.templates(orgId).map(({ from, template }) => ({ ...template, from })),
  ),
];

export const findTemplate = (orgId: string, id: string): OfferedTemplate | undefined =>
  listAllTemplates(orgId).find((template) => template.id === id);

/** For the templates dialog. */
export function listTemplates(actor: Actor) {
  authorise(actor, "screens.read");
  return listAllTemplates(actor.orgId).map(({ id, name, description, steps, from }) => ({
    id,
    name,
    description,
    steps: steps.length,
    from: from ?? null,
  }));
}
