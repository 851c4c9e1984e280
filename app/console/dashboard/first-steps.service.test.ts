import { ne } from "drizzle-orm";
import { afterEach, beforeEach, expect, it } from "vitest";
import { addSamples } from "~/console/samples/samples.service.server";
import type { Role } from "~/core/actor";
import { transaction } from "~/core/db.server";
import { hideFirstSteps } from "~/team/members/preferences.service.server";
import { createQuickWorkflow } from "~/work/workflows/workflows.service.server";
import { conversations, providers, users } from "~db/schema";
import { openTestDatabase } from "../../../tests/support/database";
import { addDocument } from "../../../tests/support/documents";
import { firstSteps } from "./first-steps.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

const stepsOf = async (role: Role) =>
  Object.fromEntries((await firstSteps(test.actors[role])).map(({ id, done }) => [id, done]));

it("lists the steps that each role can take", async () => {
  expect(await stepsOf("viewer")).toEqual({});
  expect(await stepsOf("member")).toEqual({ chat: false, documents: false, workflow: false });
  expect(await stepsOf("admin")).toEqual({
    provider: false,
    chat: false,
    documents: false,
    workflow: false,
    invite: true,
  });
});

it("marks steps done by existing data and is empty once all are done", async () => {
  const { orgId, userId } = test.actors.admin;
  const times = { createdAt: 1, updatedAt: 1 };
  addDocument("Handbook");
  expect(await stepsOf("admin")).toMatchObject({ chat: false, documents: true, provider: false });
  transaction((tx) => {
    const lab = { id: "prv_1", orgId, type: "custom", displayName: "Lab", enabled: true };
    tx.insert(providers)
      .values({ ...lab, models: [], config: {}, ...times })
      .run();
  });
  expect(await stepsOf("admin")).toMatchObject({ chat: false, provider: true });
  transaction((tx) => {
    const talk = { id: "con_1", orgId, userId, title: "T", model: "m", settings: {} };
    tx.insert(conversations)
      .values({ ...talk, ...times })
      .run();
  });
  expect(await stepsOf("admin")).toMatchObject({ chat: true, workflow: false });
  createQuickWorkflow(test.actors.member, { name: "Own", description: "" });
  expect(await stepsOf("admin")).toEqual({});
  expect(await stepsOf("member")).toEqual({ chat: false, documents: true, workflow: true });
});

it("doesn't count the sample team's documents and workflows", async () => {
  addSamples(test.actors.admin);
  expect(await stepsOf("admin")).toMatchObject({ documents: false, workflow: false });
});

it("suggests an invitation while the owner is alone", async () => {
  transaction((tx) => tx.delete(users).where(ne(users.id, "usr_owner")).run());
  expect(await stepsOf("owner")).toMatchObject({ invite: false });
});

it("is hidden for the user who dismissed it", async () => {
  hideFirstSteps(test.actors.owner);
  expect(await stepsOf("owner")).toEqual({});
  expect(await stepsOf("admin")).not.toEqual({});
});
