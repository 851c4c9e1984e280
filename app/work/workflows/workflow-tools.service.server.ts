import type { Tool, ToolOwner } from "~/ai/tools/tool.shared";
import { registerToolSource } from "~/ai/tools/tools.service.server";
import { withDeadline } from "~/core/abort";
import { type Db, db } from "~/core/db.server";
import { publicAddress } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { authorise } from "~/platform/rights/authorization.server";
import { engine } from "./engine/local-engine.server";
import { readOutput } from "./engine/outputs.server";
import { definitionOf, requireCallable } from "./require-workflow.server";
import type { Json } from "./steps/step-type";
import { declaredInputs, valuesSchema } from "./triggers/declared-inputs";
import { tool as toolTrigger } from "./triggers/tool.trigger.server";
import { findWorkflowById, listTriggeredRows } from "./workflows.repo.server";
import type { WorkflowDefinition } from "./workflows.schema";

/** In ms; a run that takes longer goes on, and the model gets its address. */
const MAX_WAIT = 50_000;
const OUTPUT_LIMIT = 60_000;

function toTool(
  workflowId: string,
  title: string,
  trigger: { id: string; config: unknown },
): Tool | undefined {
  const config = toolTrigger.config.safeParse(trigger.config).data;
  if (!config) return undefined;
  return {
    name: `workflow.${config.name}`,
    title,
    description: config.description,
    // Its steps may do anything.
    effect: "outside",
    input: valuesSchema(declaredInputs(config.inputs)),
    timeoutMs: MAX_WAIT + 10_000,
    outputLimit: OUTPUT_LIMIT,
    async run(input, { actor, signal }) {
      authorise(actor, "workflows.write");
      if (actor.kind === "workflow")
        throw new AppError(
          "conflict",
          "A workflow can't call another one as a tool. Use its step Call Workflow.",
        );
      requireCallable(actor.orgId, workflowId);
      const { runId } = await engine().accept(actor, {
        workflowId,
        triggerId: trigger.id,
        triggerType: toolTrigger.type,
        payload: input as Json,
        startedBy: actor.userId,
        runsAs: actor.userId,
      });
      const run = { runId, link: publicAddress(`/workflows/runs/${runId}`) };
      const timeoutError = () => new Error("The run is still going.");
      const end = await withDeadline({ ms: MAX_WAIT, timeoutError, signal }, (waiting) =>
        engine().ended(runId, waiting),
      ).catch(() => signal.throwIfAborted());
      if (!end)
        return { ...run, state: "running", note: "It goes on. Give the person the link to its result." };
      if (end.state === "succeeded")
        return { ...run, state: end.state, result: readOutput(runId, end.output) };
      return { ...run, state: end.state, error: end.error ?? "The run was canceled." };
    },
  };
}

/** By workflow, version and name, so that a tool stays the same object while it is the same tool. */
const cache = new Map<string, readonly Tool[]>();
const MAX_CACHED = 200;

function toolsOf(workflowId: string, version: number): readonly Tool[] {
  const title = findWorkflowById(db(), workflowId)?.name ?? workflowId;
  const key = `${workflowId}@${version} ${title}`;
  const cached = cache.get(key);
  if (cached) return cached;
  const tools = definitionOf(workflowId, version).triggers.flatMap((trigger) =>
    trigger.type === toolTrigger.type ? (toTool(workflowId, title, trigger) ?? []) : [],
  );
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(key, tools);
  return tools;
}

const listWorkflowTools = ({ orgId }: ToolOwner): Tool[] =>
  listTriggeredRows(db(), orgId, toolTrigger.type).flatMap(({ id, version }) => toolsOf(id, version));

/**
 * @param ownId the workflow's id, if it is already saved
 * @throws AppError `invalid` by field, for a name that is used twice, here or in an enabled workflow
 */
export function assertToolNames(
  tx: Db,
  orgId: string,
  { triggers }: Pick<WorkflowDefinition, "triggers">,
  ownId?: string,
): void {
  const namesIn = (list: WorkflowDefinition["triggers"]) =>
    list.flatMap(({ type, config }, index) =>
      type === toolTrigger.type ? [{ name: String(config.name ?? ""), index }] : [],
    );
  const own = namesIn(triggers);
  if (own.length === 0) return;
  const owners = new Map(
    listTriggeredRows(tx, orgId, toolTrigger.type).flatMap(({ id, version }) =>
      id === ownId ? [] : namesIn(definitionOf(id, version).triggers).map(({ name }) => [name, id] as const),
    ),
  );
  for (const { name, index } of own) {
    const owner = owners.get(name);
    const isTwice = own.some((other) => other.name === name && other.index < index);
    if (owner === undefined && !isTwice) continue;
    const by = isTwice ? "another trigger" : `the workflow "${findWorkflowById(tx, owner ?? "")?.name}"`;
    const message = `The tool name "${name}" is used by ${by}. Choose another one.`;
    throw new AppError("invalid", message, { fields: { [`triggers.${index}.config.name`]: [message] } });
  }
}

/** Enabled workflows with a tool trigger, for chats. @returns a function to stop */
export const offerWorkflowTools = (): (() => void) =>
  registerToolSource({
    list: listWorkflowTools,
    explainMissing: (_owner, name) =>
      name.startsWith("workflow.")
        ? "No enabled workflow offers it. A member can enable the workflow, or give it a Tool Trigger."
        : undefined,
  });
