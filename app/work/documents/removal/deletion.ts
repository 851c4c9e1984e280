/** Time in which a deleted document can be restored (ms). */
export const UNDO_TIME = 10 * 60_000;

/** Deletion time that causes immediate purging. */
export const PURGE_NOW = 1;
