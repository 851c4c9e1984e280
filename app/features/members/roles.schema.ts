import { z } from "zod";

/** The organisation's roles, from the least to the most powerful. */
export const Role = z.enum(["viewer", "member", "admin", "owner"]);
export type Role = z.infer<typeof Role>;

/** What a person reads of each role. */
export const ROLE_HINTS: Record<Role, string> = {
  viewer: "Reads the screens and searches documents",
  member: "Also chats, ingests documents, and edits personas and workflows",
  admin: "Also manages providers, keys, settings and members",
  owner: "May do everything, owners included",
};
