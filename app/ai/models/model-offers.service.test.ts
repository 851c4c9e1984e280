import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { transaction } from "~/core/db.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { chooseModel } from "~/team/members/preferences.service.server";
import { readSession, startSession } from "~/team/members/session.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { chooseModelForEveryone, readPickerFacts } from "./model-offers.service.server";
import { insertProviderRow } from "./models.repo.server";
import { offerModels } from "./models.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
  vi.stubEnv("OPENAI_API_KEY", "value");
  transaction((tx) =>
    insertProviderRow(tx, {
      id: "prv_1",
      orgId: test.actors.member.orgId,
      displayName: "Mine",
      type: "openai",
      enabled: true,
      config: {},
      models: [{ id: "gpt-4o" }, { id: "o3" }, { id: "my-tune" }],
      modelsAt: null,
      priority: 0,
      createdAt: 1,
      updatedAt: 1,
    }),
  );
});
afterEach(() => {
  vi.unstubAllEnvs();
  test.close();
});

it("offers models in one shape, those that can't be called marked at the end", () => {
  expect(offerModels(test.actors.member, ["gone", "o3"])).toMatchObject([
    { id: "gpt-4o", provider: "Mine" },
    { id: "o3", provider: "Mine", reasons: true },
    { id: "my-tune", name: "my-tune", provider: "Mine" },
    { id: OFFLINE_MODEL },
    { id: "gone", name: "gone", provider: "", available: false },
  ]);
  expect(offerModels(test.actors.member)[0]).not.toHaveProperty("reasons");
});

it("says what is known of each model, prices by 1M tokens", () => {
  const facts = new Map(readPickerFacts(test.actors.member).models.map((model) => [model.id, model]));
  expect(facts.get("gpt-4o")).toMatchObject({
    abilities: ["vision", "function-calling"],
    price: { input: 2.5, output: 10 },
    context: 128_000,
  });
  expect(facts.get("o3")?.abilities).toContain("reasoning");
  expect(facts.get("my-tune")).toEqual({ id: "my-tune", abilities: [] });
});

it("knows one's own default, and everyone's, which admins alone set", () => {
  const { member, admin } = test.actors;
  const signedIn = readSession(startSession(member.userId, {}).secret)?.actor ?? member;
  const defaultsOf = (actor: typeof member) => {
    const { own, everyone, mayChooseForEveryone } = readPickerFacts(actor);
    return { own, everyone, mayChooseForEveryone };
  };
  expect(defaultsOf(signedIn)).toEqual({ own: null, everyone: null, mayChooseForEveryone: false });
  chooseModel(signedIn, { model: "o3" });
  expect(() => chooseModelForEveryone(member, { model: "gpt-4o" })).toThrow();
  chooseModelForEveryone(admin, { model: "gpt-4o" });
  expect(defaultsOf(signedIn)).toEqual({ own: "o3", everyone: "gpt-4o", mayChooseForEveryone: false });
  expect(defaultsOf(admin)).toEqual({ own: null, everyone: "gpt-4o", mayChooseForEveryone: true });
  expect(listAudit(admin, { limit: 1 }).entries[0]).toMatchObject({ action: "settings.updated" });
});
