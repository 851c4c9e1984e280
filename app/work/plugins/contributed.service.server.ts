import { db } from "~/core/db.server";
import { registerPromptSource, type SourcePrompt } from "~/work/prompts/prompt-sources.service.server";
import {
  registerWorkflowSource,
  type SourceStep,
  type WorkflowSource,
} from "~/work/workflows/contributed/contributed-steps.service.server";
import { bundledPlugins } from "./bundled/index.server";
import { type CatalogEntry, findEntry } from "./catalog.server";
import type { PluginManifest } from "./manifest.schema";
import { listActiveEntries, problemOf } from "./plugin-tools.service.server";
import { findInstallationRow } from "./plugins.repo.server";

/** Undefined if usable. */
function problemOfEntry(orgId: string, entry: CatalogEntry): string | undefined {
  const row = findInstallationRow(db(), orgId, entry.manifest.id);
  if (!row || row.removedAt !== null)
    return `The plugin ${entry.manifest.title} isn't installed. An admin can install it under Extensions.`;
  return problemOf(entry, row);
}

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
  const problem = entry && problemOfEntry(orgId, entry);
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
  const problem = entry && problemOfEntry(orgId, entry);
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
  const removers = [
    registerPromptSource({
      list: (orgId) => activeManifests(orgId).flatMap(promptsOf),
      explainMissing: explainMissingPrompt,
    }),
    registerWorkflowSource(workflowSource),
  ];
  return () => {
    for (const remove of removers) remove();
  };
}
