import { describe, expect, it } from "vitest";
import type { ZodObject } from "zod";
import { bundledPlugins } from "./index.server";

describe("the bundled plugins", () => {
  it("have unique ids", () => {
    const ids = bundledPlugins.map(({ manifest }) => manifest.id);
    expect(new Set(ids).size).toBe(ids.length);
    // Those of MCP servers begin so.
    expect(ids.filter((id) => id.startsWith("mcp-"))).toEqual([]);
  });

  it.each(bundledPlugins.map(({ manifest }) => [manifest.id, manifest] as const))(
    "%s names its settings, keys, hosts and what it brings once and in agreement",
    (id, { settings, requests, brings }) => {
      const kinds = new Map(settings.map(({ name, control }) => [name, control]));
      expect(kinds.size).toBe(settings.length);
      const keys = settings.filter(({ control }) => control.kind === "key").map(({ name }) => name);
      expect([...requests.keys].sort()).toEqual(keys.sort());
      for (const host of requests.hosts.filter((one) => one.startsWith("{"))) {
        const control = kinds.get(host.slice(1, -1));
        expect(control?.kind === "url" || (control?.kind === "key" && control.of === "database")).toBe(true);
      }
      const { prompts = [], templates = [], steps = [] } = brings ?? {};
      for (const names of [
        prompts.map((one) => one.id),
        templates.map((one) => one.id),
        steps.map((one) => one.name),
      ]) {
        expect(new Set(names).size).toBe(names.length);
        expect(names.filter((name) => `${id}.${name}`.length > 40)).toEqual([]);
      }
    },
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
