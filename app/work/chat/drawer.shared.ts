export const DRAWER_COOKIE = "chat-drawer";
export const CLOSED_DRAWER = "closed";
