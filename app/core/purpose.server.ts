import { AsyncLocalStorage } from "node:async_hooks";

/** Attribution of nested model calls, by async context. */
interface Purpose {
  workflowId?: string | undefined;
  runId?: string | undefined;
  stepId?: string | undefined;
  personaId?: string | undefined;
  /** The member that a workflow's run acts for, whose budgets count its calls. */
  memberId?: string | undefined;
}

const current = new AsyncLocalStorage<Purpose | undefined>();

/** Attributes calls to a workflow or persona. */
export const withPurpose = <T>(purpose: Purpose, work: () => T): T => current.run(purpose, work);

/** Clears the attribution, such as for a job. */
export const withoutPurpose = <T>(work: () => T): T => current.run(undefined, work);

export const currentPurpose = (): Purpose => current.getStore() ?? {};
