import type { Role } from "./roles.schema";

/** What a person reads of each role. */
export const ROLE_HINTS: Record<Role, string> = {
  viewer: "Reads the screens and searches documents",
  member: "Also chats, ingests documents, and edits personas and workflows",
  admin: "Also manages providers, keys, settings and members",
  owner: "May do everything, owners included",
};
