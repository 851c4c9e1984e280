import type { BroughtStep, BroughtTemplate } from "./brought.schema";

export interface SourceStep {
  /** Stored with each step, such as `diagram-maker.chart`: never another one's, and at most 40 characters. */
  type: string;
  /** Full name of the tool that it calls. */
  tool: string;
  /** Who brings it, for people. */
  from: string;
  step: BroughtStep;
}

interface SourceTemplate {
  from: string;
  /** With an id that is no other template's. */
  template: BroughtTemplate;
}

/** Brings steps and templates, such as those of the plugins. */
export interface WorkflowSource {
  /** Every step that this source knows: stored workflows keep their labels and fields while one is unavailable. */
  steps(): readonly SourceStep[];
  /** Why a step can't be used now, and how to have it back; undefined where it can, or where it isn't this source's. */
  explainStep(orgId: string, type: string): string | undefined;
  /** The templates that an organization can use now. */
  templates(orgId: string): readonly SourceTemplate[];
}

// Development evaluates modules again; sources stay registered.
const holder = globalThis as typeof globalThis & { quarterdeckWorkflowSources?: Set<WorkflowSource> };

export function workflowSources(): ReadonlySet<WorkflowSource> {
  holder.quarterdeckWorkflowSources ??= new Set();
  return holder.quarterdeckWorkflowSources;
}

/** Adds a source of steps and templates. @returns the function that removes it */
export function registerWorkflowSource(source: WorkflowSource): () => void {
  workflowSources();
  holder.quarterdeckWorkflowSources?.add(source);
  return () => void holder.quarterdeckWorkflowSources?.delete(source);
}
