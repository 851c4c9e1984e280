import { afterEach, beforeEach, expect, it } from "vitest";
import { createProvider } from "~/ai/models/providers.service.server";
import { updateSettings } from "~/platform/settings/settings.service.server";
import { addKey, listKeys } from "~/team/keys/keys.service.server";
import { configurePlugin, installPlugin, uninstallPlugin } from "~/work/plugins/install.service.server";
import { createWorkflow } from "~/work/workflows/workflows.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { listKeyUses, removeKeyInUse } from "./key-uses.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

it("lists a key's uses and removes a key in use only if confirmed", async () => {
  const { admin, member } = test.actors;
  const openai = addKey(admin, { provider: "openai", alias: "OPENAI_API_KEY", origin: undefined });
  const other = addKey(admin, {
    provider: "other",
    alias: "QUARTERDECK_KEY_CRM",
    origin: "https://crm.example",
  });
  const spare = addKey(admin, {
    provider: "other",
    alias: "QUARTERDECK_KEY_SPARE",
    origin: "https://crm.example",
  });
  await createProvider(admin, {
    enabled: true,
    provider: "openai",
    displayName: "Team OpenAI",
    config: {},
  });
  const workflow = await createWorkflow(member, {
    name: "Sync",
    description: "",
    connections: [],
    triggers: [{ type: "manual" }],
    steps: [
      { type: "http_request", config: { method: "GET", url: "https://crm.example/contacts", key: other.id } },
    ],
  });
  installPlugin(admin, "webhook-notifier");
  configurePlugin(admin, "webhook-notifier", { settings: { token: other.id } });
  updateSettings(admin, "notifications", { webhookReference: "QUARTERDECK_KEY_CRM" });
  expect(listKeyUses(admin)).toEqual([
    { keyId: openai.id, kind: "Provider", name: "Team OpenAI", to: "/settings/providers" },
    { keyId: other.id, kind: "Workflow", name: "Sync", to: `/workflows/${workflow.id}` },
    { keyId: other.id, kind: "Plugin", name: "Webhook Notifier", to: "/extensions?tab=installed" },
    { keyId: other.id, kind: "Notifications", name: "Webhooks", to: "/settings/advanced#notifications" },
  ]);
  expect(() => removeKeyInUse(admin, openai.id, { confirmed: false })).toThrow(
    expect.objectContaining({
      code: "conflict",
      message: expect.stringContaining("OPENAI_API_KEY is in use: Provider Team OpenAI"),
    }),
  );
  removeKeyInUse(admin, openai.id, { confirmed: true });
  removeKeyInUse(admin, spare.id, { confirmed: false });
  expect(listKeys(admin).map(({ id }) => id)).toEqual([other.id]);
  expect(() => listKeyUses(member)).toThrow(expect.objectContaining({ code: "forbidden" }));
});

it("doesn't count the key of a removed plugin, whose settings are kept", () => {
  const { admin } = test.actors;
  const key = { provider: "other", alias: "QUARTERDECK_KEY_CRM", origin: "https://crm.example" } as const;
  const { id } = addKey(admin, key);
  installPlugin(admin, "calculator");
  installPlugin(admin, "webhook-notifier");
  configurePlugin(admin, "webhook-notifier", { settings: { token: id } });
  expect(listKeyUses(admin).map(({ name }) => name)).toEqual(["Webhook Notifier"]);
  uninstallPlugin(admin, "webhook-notifier");
  expect(listKeyUses(admin)).toEqual([]);
  removeKeyInUse(admin, id, { confirmed: false });
  expect(listKeys(admin), "it is removed without a question").toEqual([]);
});
