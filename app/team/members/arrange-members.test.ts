import { expect, it } from "vitest";
import { arrangeMembers } from "./arrange-members.server";
import type { Member } from "./members.schema";

const member = (firstName: string | null, email: string, role: Member["role"], lastSeenAt: string | null) =>
  ({ firstName, lastName: null, email, role, lastSeenAt }) as Member;

const MEMBERS = [
  member("Maya", "m@acme.example", "viewer", "2026-11-20T00:00:00Z"),
  member(null, "jonas@acme.example", "owner", null),
  member("Ana", "a@acme.example", "viewer", "2026-11-21T00:00:00Z"),
];
const order = (q: string, sort: "name" | "role" | "seen") =>
  arrangeMembers(MEMBERS, { q, sort }).map(({ email }) => email[0]);

it("finds members by name or address and sorts them", () => {
  expect(order("", "name")).toEqual(["a", "j", "m"]);
  expect(order("", "role")).toEqual(["j", "a", "m"]);
  expect(order("", "seen")).toEqual(["a", "m", "j"]);
  expect(order("ACME jon", "name")).toEqual(["j"]);
  expect(order("nobody", "name")).toEqual([]);
});
