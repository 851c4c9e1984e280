import { kept } from "~/core/process.server";
import type { ContributedStep, ContributedTemplate } from "./contributed.schema";

export interface SourceStep {
  /** Such as `diagram-maker.chart`; unique, up to 40 characters. */
  type: string;
  tool: string;
  from: string;
  step: ContributedStep;
}

interface SourceTemplate {
  from: string;
  /** With a unique id. */
  template: ContributedTemplate;
}

/** A source of steps and templates, such as plugins. */
export interface WorkflowSource {
  /** All known steps: stored workflows keep labels and fields while one is unavailable. */
  steps(): readonly SourceStep[];
  /** Why a step is unavailable; undefined if available or another source's. */
  explainUnavailableStep(orgId: string, type: string): string | undefined;
  /** Currently available. */
  templates(orgId: string): readonly SourceTemplate[];
}

const sources = () => kept("workflow sources", () => new Set<WorkflowSource>());

export const workflowSources = (): ReadonlySet<WorkflowSource> => sources();

/** @returns a function to unregister */
export function registerWorkflowSource(source: WorkflowSource): () => void {
  sources().add(source);
  return () => void sources().delete(source);
}
