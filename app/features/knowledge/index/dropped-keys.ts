// The key of what is being dropped: no index asks for it, so that none is started on what vanishes under it.
const DROPPED = /^dropping\//;

export const droppedKey = (id: number) => `dropping/${id}`;

export const isDroppedKey = (key: string) => DROPPED.test(key);
