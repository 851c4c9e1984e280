import { expect, it } from "vitest";
import { z } from "zod";
import { describeIssue } from "./parse";

const messageOf = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value, { error: describeIssue }).error?.issues[0]?.message;

it.each<[z.ZodType, unknown, string]>([
  [z.coerce.number(), "abc", "Enter a number"],
  [z.number().int(), 1.5, "Enter a whole number"],
  [z.number().min(1), 0, "Use at least 1"],
  [z.string().max(1000), "x".repeat(1001), "Use at most 1,000 characters"],
  [z.array(z.string()).min(1), [], "Use at least 1 item"],
  [z.enum(["up", "down"]), "left", "Use up or down"],
  [z.array(z.string()), undefined, "This is required"],
  [z.iso.datetime(), "today", "Enter a date and time, such as 2026-01-31T09:00:00Z"],
  [z.strictObject({ a: z.string().optional() }), { b: 1 }, 'There is no field "b"'],
  [z.union([z.string(), z.number()]), null, "This value isn't valid"],
  [z.string("Enter a name"), 1, "Enter a name"],
])("describes an issue for a person", (schema, value, message) => {
  expect(messageOf(schema, value)).toBe(message);
});
