import { EventEmitter } from "node:events";

/** What of the documents has changed, told after its commit. */
export interface KnowledgeChange {
  orgId: string;
  documentId?: string | undefined;
  jobId?: string | undefined;
  /** What lists show of the document has changed beside its state, or without one the categories have. */
  listed?: boolean | undefined;
}

// Streams and jobs outlive a module's re-evaluation in development.
const holder = globalThis as typeof globalThis & { quarterdeckKnowledge?: EventEmitter };

function emitter(): EventEmitter {
  holder.quarterdeckKnowledge ??= new EventEmitter().setMaxListeners(0);
  return holder.quarterdeckKnowledge;
}

/** Call after the commit that changed a document, its progress or its place in a list. */
export function knowledgeChanged(change: KnowledgeChange): void {
  emitter().emit("changed", change);
}

/** @returns the function that stops listening */
export function onKnowledgeChanged(listener: (change: KnowledgeChange) => void): () => void {
  emitter().on("changed", listener);
  return () => emitter().off("changed", listener);
}
