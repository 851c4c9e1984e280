import { registerPromptSource, type SourcePrompt } from "~/work/prompts/prompts.service.server";
import {
  registerWorkflowSource,
  type SourceStep,
  type WorkflowSource,
} from "~/work/workflows/contributed/contributed-steps.service.server";
import { bundledPlugins } from "./bundled/index.server";
import { findEntry } from "./catalog.server";
import type { PluginManifest } from "./manifest.schema";
import { explainUnusable, listActiveEntries } from "./plugin-tools.service.server";

const activeManifests = (orgId: string): PluginManifest[] =>
  listActiveEntries(orgId).map(({ entry }) => entry.manifest);

function promptsOf({ id, title, released, brings }: PluginManifest): SourcePrompt[] {
  return (brings?.prompts ?? []).map((prompt) => ({
    ...prompt,
    id: `${id}:${prompt.id}`,
    from: { id, name: title },
    at: Date.parse(released),
  }));
}

function explainMissingPrompt(orgId: string, promptId: string): string | undefined {
  const [id = ""] = promptId.split(":", 1);
  const entry = promptId.includes(":") ? findEntry(orgId, id) : undefined;
  const problem = entry && explainUnusable(orgId, entry);
  return problem && `This prompt can't be used. ${problem}`;
}

// Only bundled plugins bring steps, so this needs no query.
const steps: readonly SourceStep[] = bundledPlugins.flatMap(({ manifest: { id, title, brings } }) =>
  (brings?.steps ?? []).map((step) => ({
    type: `${id}.${step.name}`,
    tool: `${id}.${step.tool}`,
    from: title,
    step,
  })),
);
const stepsByType = new Map(steps.map((step) => [step.type, step]));

function explainUnavailableStep(orgId: string, type: string): string | undefined {
  const contributed = stepsByType.get(type);
  if (!contributed) return undefined;
  const entry = findEntry(orgId, type.slice(0, type.indexOf(".")));
  const problem = entry && explainUnusable(orgId, entry);
  return problem && `Step "${contributed.step.label}" can't be used. ${problem}`;
}

const workflowSource: WorkflowSource = {
  steps: () => steps,
  explainUnavailableStep,
  templates: (orgId) =>
    activeManifests(orgId).flatMap(({ id, title, brings }) =>
      (brings?.templates ?? []).map((template) => ({
        from: title,
        template: { ...template, id: `${id}.${template.id}` },
      })),
    ),
};

/** @returns a stop function */
export function offerContributions(): () => void {
  const removePrompts = registerPromptSource({
    list: (orgId) => activeManifests(orgId).flatMap(promptsOf),
    explainMissing: explainMissingPrompt,
  });
  const removeWorkflows = registerWorkflowSource(workflowSource);
  return () => {
    removePrompts();
    removeWorkflows();
  };
}
