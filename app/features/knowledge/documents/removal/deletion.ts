/** How long a deleted document can be restored, in milliseconds; then it is removed for good. */
export const UNDO_TIME = 10 * 60_000;

/** As the time of a deletion: removed at once, and nothing brings it back. */
export const PURGE_NOW = 1;
