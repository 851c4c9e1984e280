import { AsyncLocalStorage } from "node:async_hooks";

/** What calls to models inside a tool or a search count for, as these don't hand it on. */
interface Purpose {
  workflowId?: string | undefined;
  runId?: string | undefined;
  stepId?: string | undefined;
  personaId?: string | undefined;
}

const current = new AsyncLocalStorage<Purpose | undefined>();

/** Runs work whose calls to models count for a workflow or a persona. */
export const withPurpose = <T>(purpose: Purpose, work: () => T): T => current.run(purpose, work);

/** Runs work that a call with a purpose merely set off, such as a job. */
export const withoutPurpose = <T>(work: () => T): T => current.run(undefined, work);

export const currentPurpose = (): Purpose => current.getStore() ?? {};
