import { describe, expect, it } from "vitest";
import type { ZodObject } from "zod";
import { PluginManifest } from "../manifest.schema";
import { bundledPlugins } from "./index.server";

/** Of a step type or template id with the plugin's prefix. */
const MAX_NAME_LENGTH = 40;

const repeated = (names: readonly string[]) => names.filter((name, index) => names.indexOf(name) !== index);

/** What the manifest's schema can't see: parts that disagree. */
function faultsOf({ id, settings, requests, brings, pricing, price }: PluginManifest): string[] {
  const keys = settings.filter(({ control }) => control.kind === "key").map(({ name }) => name);
  const isAddress = (host: string) =>
    settings.some(
      ({ name, control }) =>
        host === `{${name}}` &&
        (control.kind === "url" || (control.kind === "key" && control.of === "database")),
    );
  const { prompts = [], templates = [], steps = [] } = brings ?? {};
  const brought = {
    prompts: prompts.map((one) => one.id),
    templates: templates.map((one) => one.id),
    steps: steps.map((one) => one.name),
  };
  return [
    ...repeated(settings.map(({ name }) => name)).map((name) => `Two settings are named ${name}`),
    ...settings
      .flatMap(({ requiredWith }) => requiredWith?.setting ?? [])
      .filter((name) => !settings.some((one) => one.name === name))
      .map((name) => `No setting is named ${name}`),
    ...repeated(requests.keys).map((name) => `The key ${name} is requested twice`),
    ...requests.keys.filter((name) => !keys.includes(name)).map((name) => `No key setting is named ${name}`),
    ...keys.filter((name) => !requests.keys.includes(name)).map((name) => `The key ${name} isn't requested`),
    ...requests.hosts
      .filter((host) => host.startsWith("{") && !isAddress(host))
      .map((host) => `No url or database setting is named ${host}`),
    ...Object.entries(brought).flatMap(([kind, names]) => [
      ...repeated(names).map((name) => `Two ${kind} are named ${name}`),
      ...names
        .filter((name) => `${id}.${name}`.length > MAX_NAME_LENGTH)
        .map((name) => `Use a shorter name than ${name}`),
    ]),
    ...(pricing === "premium" && price === null ? ["A premium plugin has a price"] : []),
  ];
}

it("names the parts of a manifest that disagree", () => {
  const [plugin] = bundledPlugins;
  if (!plugin) throw new Error("No plugin is bundled.");
  const requests = { hosts: ["{server}"], keys: ["token"], effects: [] };
  const manifest = { ...plugin.manifest, settings: [], requests, pricing: "premium" as const, price: null };
  expect(faultsOf(manifest)).toEqual([
    "No key setting is named token",
    "No url or database setting is named {server}",
    "A premium plugin has a price",
  ]);
});

it("refuses an icon that no screen draws", () => {
  const [plugin] = bundledPlugins;
  const { error } = PluginManifest.safeParse({ ...plugin?.manifest, icon: "Rocket" });
  expect(error?.issues.map(({ path }) => path.join("."))).toEqual(["icon"]);
});

describe("the bundled plugins", () => {
  it("have unique ids", () => {
    const ids = bundledPlugins.map(({ manifest }) => manifest.id);
    expect(new Set(ids).size).toBe(ids.length);
    // Those of MCP servers begin so.
    expect(ids.filter((id) => id.startsWith("mcp-"))).toEqual([]);
  });

  it.each(bundledPlugins.map(({ manifest }) => [manifest.id, manifest] as const))(
    "%s has a manifest whose parts agree",
    (_, manifest) => expect(faultsOf(manifest)).toEqual([]),
  );

  it.each(bundledPlugins.map((plugin) => [plugin.manifest.id, plugin] as const))(
    "%s asks for what its tools do, and for hosts where they go outside",
    (_, { manifest, tools }) => {
      const effects = new Set(tools.map(({ effect }) => effect));
      expect([...effects].sort()).toEqual([...manifest.requests.effects].sort());
      expect(manifest.requests.hosts.length > 0).toBe(effects.has("outside"));
      expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
      for (const step of manifest.brings?.steps ?? []) {
        const tool = tools.find(({ name }) => name === step.tool);
        const inputs = Object.keys((tool?.input as ZodObject | undefined)?.shape ?? {});
        expect(step.fields.map(({ name }) => name).filter((name) => !inputs.includes(name))).toEqual([]);
      }
    },
  );
});
