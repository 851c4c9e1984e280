import { afterEach, beforeEach, expect, it } from "vitest";
import type { Actor } from "~/core/actor";
import { transaction } from "~/core/db.server";
import { createGroup, deleteGroup, removeFromGroup } from "~/team/members/groups.service.server";
import { chooseModel } from "~/team/members/preferences.service.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { saveModel } from "../model-settings.service.server";
import { insertProviderRow } from "../models.repo.server";
import {
  limitedDefault,
  listModels,
  newChatModel,
  newRouteRecord,
  resolveModel,
  routeCall,
} from "../models.service.server";
import { ProviderHttpError } from "../provider-errors.server";
import { allowedModels } from "./model-access.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

it.each([
  ["openai/gpt-4o", "gpt-4o", true],
  ["gpt-4o", "openai/gpt-4o", true],
  ["claude-sonnet-4-5", "anthropic/claude-sonnet-4.5", true],
  ["gpt-4o", "gpt-4o-mini", false],
])("checks a token for %s against a call for %s", (allowList, requested, allowed) => {
  const gateway = { models: [allowList], requestsPerMinute: null };
  expect(allowedModels({ ...test.actors.member, gateway })(requested)).toBe(allowed);
});

it("a token without a list may call every model", () => {
  const gateway = { models: null, requestsPerMinute: null };
  expect(allowedModels({ ...test.actors.member, gateway })("any")).toBe(true);
  expect(allowedModels(test.actors.member)("any")).toBe(true);
});

/** Two models of one provider, of which a group of the viewer has the first. @returns the group */
function limitModel(): string {
  const { admin, viewer } = test.actors;
  transaction((tx) =>
    insertProviderRow(tx, {
      id: "prv_lab",
      orgId: admin.orgId,
      type: "custom",
      displayName: "Lab",
      enabled: true,
      config: { baseUrl: "http://lab.example/v1" },
      models: ["house/best", "house/plain"],
      modelsAt: null,
      priority: 0,
      createdAt: 1,
      updatedAt: 1,
    }),
  );
  const { id } = createGroup(admin, { name: "Research", members: [viewer.userId] });
  saveModel(admin, "house/best", { groups: [id] });
  return id;
}

const offers = (actor: Actor) => listModels(actor).some(({ id }) => id === "house/best");

it("limits a model to groups in lists and calls alike, and says which group is missing", () => {
  const id = limitModel();
  const { viewer, member, admin, owner } = test.actors;
  const token = { kind: "token" as const, gateway: { models: ["house/best"], requestsPerMinute: null } };
  const workflow = { kind: "workflow" as const };
  const people: [Actor, boolean][] = [
    [viewer, true],
    [member, false],
    [admin, true],
    [owner, true],
    [{ ...viewer, ...token }, true],
    [{ ...member, ...token }, false],
    [{ ...viewer, ...workflow }, true],
    [{ ...member, ...workflow }, false],
  ];
  for (const [actor, may] of people) {
    expect([actor.kind, actor.role, offers(actor), allowedModels(actor)("house/best")]).toEqual([
      actor.kind,
      actor.role,
      may,
      may,
    ]);
    const resolve = () => resolveModel(actor, "house/best");
    if (may) expect(resolve).not.toThrow();
    else expect(resolve).toThrow('The model "house/best" is limited to the group Research.');
  }
  removeFromGroup(admin, id, viewer.userId);
  expect(offers(viewer)).toBe(false);
  saveModel(admin, "house/best", { groups: null });
  expect(offers(member)).toBe(true);
});

it("stays closed when the last of its groups is deleted, and takes no unknown group", () => {
  const id = limitModel();
  const { viewer, admin } = test.actors;
  expect(() => saveModel(admin, "house/best", { groups: ["grp_other"] })).toThrow(
    "groups of this organization",
  );
  deleteGroup(admin, id);
  expect(offers(viewer)).toBe(false);
  expect(() => resolveModel(viewer, "house/best")).toThrow("limited to admins");
  // The form sends what it shows, deleted groups too.
  expect(saveModel(admin, "house/best", { groups: [id] }).groups).toEqual([id]);
});

it("lets a guardrail's own call have a model that the person may not call", () => {
  limitModel();
  const { member } = test.actors;
  expect(() => resolveModel(member, "house/best")).toThrow("limited to the group Research");
  expect(resolveModel(member, "house/best", { isJudgement: true }).modelId).toBe("house/best");
  expect(() => resolveModel(member, "house/none", { isJudgement: true })).toThrow("No provider offers");
});

it("passes over a limited default and a limited fallback", async () => {
  limitModel();
  const { member, admin } = test.actors;
  chooseModel(member, { model: "house/best" });
  expect(limitedDefault(member)).toBe("house/best");
  expect(newChatModel(member, listModels(member))).toBe("house/plain");
  expect(limitedDefault(admin)).toBeUndefined();
  saveModel(admin, "house/plain", {
    routing: { policy: undefined, fallbacks: ["house/best"], targets: [] },
  });
  const asked: string[] = [];
  const call = routeCall({ actor: member, model: "house/plain" }, newRouteRecord(), async ({ modelId }) => {
    asked.push(modelId);
    throw new ProviderHttpError(400, "{}", new Headers());
  });
  await expect(call).rejects.toThrow();
  expect(new Set(asked)).toEqual(new Set(["house/plain"]));
});
