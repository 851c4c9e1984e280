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
