import { z } from "zod";
import { nameField } from "~/platform/catalogue/fields.schema";

const GROUP_MEMBERS_MAX = 1000;

const GroupName = nameField("Enter a group name", 60);

const MemberIds = z
  .array(z.string().min(1).max(64))
  .max(GROUP_MEMBERS_MAX, `Choose at most ${GROUP_MEMBERS_MAX} members`);

export const Group = z.object({
  id: z.string(),
  name: z.string(),
  members: z.array(z.object({ id: z.string(), name: z.string() })).describe("By name"),
});
export type Group = z.infer<typeof Group>;

export const GroupInput = z.object({
  name: GroupName,
  members: MemberIds.default([]).describe("IDs of its members"),
});
export type GroupInput = z.infer<typeof GroupInput>;

export const GroupPatch = z.object({
  name: GroupName.optional(),
  members: MemberIds.optional().describe("IDs of all its members"),
});
export type GroupPatch = z.infer<typeof GroupPatch>;
