import { expect, it } from "vitest";
import { ROLES } from "~/core/actor";
import { Role } from "./roles.schema";

it("holds the same roles in the same order as the actor", () => {
  expect(Role.options).toEqual([...ROLES]);
});
