import { expect, it } from "vitest";
import { rendered } from "../../../../tests/support/rendered";
import type { ConfiguredModel } from "../catalogue.schema";
import type { Provider, ProviderTypeInfo } from "../models.schema";
import { ConfiguredModelRow } from "./model-discovery";
import { ProviderDialog } from "./provider-dialog";

const model = (id: string, rest: Partial<ConfiguredModel> = {}): ConfiguredModel => ({
  id,
  name: id,
  provider: "openai",
  source: "openrouter",
  maxTokens: 8192,
  cost: { input: null, output: null },
  capabilities: [],
  recommended: false,
  enhanced: false,
  added: false,
  hidden: false,
  callable: false,
  fallback: false,
  downloads: null,
  ...rest,
});
const addresses = { post: "/settings/providers/models", dialog: (name: string) => `?dialog=${name}` };

it("shows only the model as pending that is being added", async () => {
  const { document } = await rendered(
    <ul>
      {["one", "two"].map((id) => (
        <ConfiguredModelRow key={id} model={model(id)} addresses={addresses} />
      ))}
    </ul>,
    { sending: { intent: "add-model", model: "two" } },
  );
  const pending = ["one", "two"].map((id) =>
    document.querySelector(`[aria-label="Add ${id}"]`)?.getAttribute("aria-disabled"),
  );
  expect(pending).toEqual([null, "true"]);
});

it("offers to add a model once, then to remove it", async () => {
  const row = async (added: boolean) => {
    const { document } = await rendered(
      <ConfiguredModelRow model={model("one", { added })} addresses={addresses} />,
    );
    return ["Add one", "Remove one"].map(
      (label) => document.querySelector(`[aria-label="${label}"]`) !== null,
    );
  };
  expect([await row(false), await row(true)]).toEqual([
    [true, false],
    [false, true],
  ]);
});

const type: ProviderTypeInfo = {
  value: "custom",
  label: "Custom",
  description: "",
  defaultBaseUrl: null,
  abilities: [],
  listing: "",
};
const lab: Provider = {
  id: "prv_1",
  provider: "custom",
  displayName: "Lab",
  enabled: true,
  config: {},
  models: [],
  priority: 0,
  modelsAt: null,
  createdAt: "2026-11-27T09:00:00.000Z",
};

it.each([
  ["created", undefined, false, "Failed to create provider", "Not reached."],
  ["changed", lab, false, "Failed to update provider", "Not reached."],
  [
    "changed, but is gone",
    undefined,
    true,
    "Failed to update provider",
    "Not reached. Add it again to keep what you typed.",
  ],
] as const)(
  "says what failed when a provider is %s, and keeps its name",
  async (_, provider, isMissing, title, reason) => {
    const result = {
      status: "error",
      initialValue: { displayName: "Lab 2" },
      error: { "": ["Not reached."] },
    };
    const { document } = await rendered(
      <ProviderDialog
        types={[{ ...type, needsKey: true, key: null }]}
        keys={[]}
        variables={[]}
        place="file"
        provider={provider}
        isMissing={isMissing}
        closeTo="/settings/providers"
        result={result as never}
      />,
    );
    expect(document.querySelector('[role="alert"]')?.textContent).toBe(`${title}${reason}`);
    expect(document.querySelector('[name="displayName"]')?.getAttribute("value")).toBe("Lab 2");
  },
);
