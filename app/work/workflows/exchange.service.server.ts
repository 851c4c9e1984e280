import { z } from "zod";
import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { parsePasted, parsePastedJson } from "~/core/parse";
import { authorise } from "~/platform/rights/authorization.server";
import { workflowSources } from "./contributed/contributed-steps.service.server";
import { fromN8n, isN8n } from "./n8n/import-n8n.server";
import { N8nWorkflow } from "./n8n/n8n.schema";
import { listPartTypes } from "./part-types.server";
import { drawTemplate } from "./template-picture";
import { templates, type WorkflowTemplate } from "./templates";
import { Workflow, WorkflowInput } from "./workflows.schema";
import { createWorkflow, readWorkflow } from "./workflows.service.server";

/** Without ids, people, addresses or times. */
export const WorkflowExport = Workflow.pick({
  name: true,
  description: true,
  triggers: true,
  steps: true,
  connections: true,
}).extend({ format: z.literal("workflow/1") });

/** For the API reference. */
export const ExportedWorkflow = z
  .union([
    WorkflowInput,
    z.looseObject({ nodes: z.array(z.looseObject({})), connections: z.looseObject({}) }),
  ])
  .describe("A workflow of this console, or of n8n");

export function exportWorkflow(actor: Actor, id: string): z.infer<typeof WorkflowExport> {
  const { name, description, triggers, steps, connections } = readWorkflow(actor, id);
  return { format: "workflow/1", name, description, triggers, steps, connections };
}

interface ImportedWorkflow extends Workflow {
  /** Nodes of n8n that aren't imported as they were; the description says why. */
  remarks: string[];
}

const EXPECTED = "Paste a workflow exported as JSON";

/** Disabled. An export of this console, or of n8n. @throws AppError `invalid` */
export function importWorkflow(actor: Actor, json: string): ImportedWorkflow {
  const value = parsePastedJson(json);
  if (isN8n(value)) return importN8n(actor, value);
  const input = parsePasted(WorkflowInput, value, EXPECTED);
  return { ...createWorkflow(actor, input, { enabled: false }), remarks: [] };
}

/** Each attempt leaves out the nodes that were invalid in the one before. */
const MAX_ATTEMPTS = 10;

function importN8n(actor: Actor, value: unknown): ImportedWorkflow {
  const file = parsePasted(N8nWorkflow, value, EXPECTED);
  const refused = new Map<string, string>();
  for (let attempt = 1; ; attempt++) {
    const { input, remarks, nodeAt } = fromN8n(file, refused);
    const translated = parsePasted(WorkflowInput, input, EXPECTED);
    try {
      return { ...createWorkflow(actor, translated, { enabled: false }), remarks };
    } catch (error) {
      if (!(error instanceof AppError) || attempt === MAX_ATTEMPTS) throw error;
      const before = refused.size;
      for (const [path, [message = ""]] of Object.entries(error.fields ?? {})) {
        const node = nodeAt(path);
        if (node !== undefined) refused.set(node, message.replace(/\.$/, ""));
      }
      if (refused.size === before) throw error;
    }
  }
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

/** For the templates dialog and the empty list, with their pictures. */
export function listTemplates(actor: Actor) {
  authorise(actor, "screens.read");
  const types = listPartTypes(actor.orgId);
  return listAllTemplates(actor.orgId).map((template) => ({
    id: template.id,
    name: template.name,
    description: template.description,
    steps: template.steps.length,
    from: template.from ?? null,
    picture: drawTemplate(template, types),
  }));
}
