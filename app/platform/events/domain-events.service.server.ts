import type { Db } from "~/core/db.server";
import { kept } from "~/core/process.server";

/** What features announce to others that they can't import. Nothing in it is restricted to some members. */
export interface DomainEvents {
  "document.added": {
    orgId: string;
    document: { id: string; title: string; type: string; category: string | null; size: number };
    /** Whether a workflow's run added it. */
    byWorkflow: boolean;
  };
  "budget.reached": {
    orgId: string;
    budget: { id: string; name: string; scope: string; unit: string; spent: number; limit: number };
    /** Of its period, once for each. */
    level: "near" | "used up";
  };
}

type Name = keyof DomainEvents;
type Listener<N extends Name> = (tx: Db, event: DomainEvents[N]) => void;

const listeners = () => kept("domain events", () => new Map<Name, Set<Listener<never>>>());

/** Calls the listeners in the transaction of what happened. */
export function announce<N extends Name>(tx: Db, name: N, event: DomainEvents[N]): void {
  for (const listener of listeners().get(name) ?? []) (listener as Listener<N>)(tx, event);
}

/** @returns a function to unregister */
export function whenAnnounced<N extends Name>(name: N, listener: Listener<N>): () => void {
  const set = listeners().get(name) ?? new Set();
  listeners().set(name, set);
  set.add(listener as Listener<never>);
  return () => void set.delete(listener as Listener<never>);
}
