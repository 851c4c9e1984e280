/** Remembers that the chat's drawer was closed on a wide window. */
export const DRAWER_COOKIE = "chat-drawer";
export const CLOSED_DRAWER = "closed";
