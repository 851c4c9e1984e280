// Key of a set or space being dropped, so that no new index uses it.
const DROPPED = /^dropping\//;

export const droppedKey = (id: number) => `dropping/${id}`;

export const isDroppedKey = (key: string) => DROPPED.test(key);
