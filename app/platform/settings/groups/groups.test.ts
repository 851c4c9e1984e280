import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Field } from "~/core/field.schema";
import { RoutingPolicy } from "~/platform/catalogue/models.schema";
import { SETTINGS_GROUPS } from "./index.schema";

const fields = SETTINGS_GROUPS.flatMap((group) =>
  Object.entries(group.fields as Record<string, Field>).map(
    ([name, field]) => [`${group.id}.${name}`, field] as const,
  ),
);
const fieldOf = (path: string) => {
  const field = fields.find(([name]) => name === path)?.[1];
  if (!field) throw new Error(`no field ${path}`);
  return field;
};
const takes = (path: string, value: unknown) => fieldOf(path).schema.safeParse(value).success;

describe("the groups of settings", () => {
  it("have the specification's defaults", () => {
    const defaults = Object.fromEntries(SETTINGS_GROUPS.map((group) => [group.id, group.values.parse({})]));
    expect(defaults).toMatchObject({
      performance: {
        enableCaching: true,
        cacheTimeout: 300,
        enableCompression: true,
        enableMinification: true,
        rateLimitEnabled: true,
        rateLimit: 100,
      },
      security: {
        enableCSP: true,
        enableCORS: false,
        sessionTimeout: 3600,
        enforceHttps: false,
        enableAuditLogs: true,
      },
      ai: {
        defaultProvider: "openai",
        maxTokens: 4096,
        temperature: 0.7,
        enableFallback: true,
        retryAttempts: 3,
        timeout: 30_000,
      },
      monitoring: {
        enableMetrics: true,
        enableTracing: false,
        logLevel: "info",
        errorReporting: true,
        healthChecks: true,
      },
      notifications: { enableEmail: false, enableSlack: false, enableWebhooks: false, enablePush: false },
      routing: { policy: "priority" },
    });
  });

  it.each(fields)("%s parses its own default and has a label", (_, field) => {
    expect(field.schema.parse(field.fallback)).toEqual(field.fallback);
    expect(field.label).not.toBe("");
    expect(field.hint).not.toBe("");
    const floors = ["", ...readdirSync("app")];
    expect(floors.some((floor) => existsSync(join("app", floor, field.appliedBy)))).toBe(true);
  });

  it.each([
    ["branding.borderRadius", 0, 20, 1],
    ["performance.cacheTimeout", 60, 3600, 60],
    ["performance.rateLimit", 10, 1000, 10],
    ["security.sessionTimeout", 300, 86_400, 300],
    ["ai.maxTokens", 256, 8192, 256],
    ["backups.keep", 1, 90, 1],
    ["ai.temperature", 0, 2, 0.1],
    ["ai.retryAttempts", 0, 5, 1],
  ])("%s goes from %d to %d in steps of %d", (path, min, max, step) => {
    const control = fieldOf(path).control;
    expect(control).toMatchObject({ min, max, step });
    const decimals = step < 1 ? 1 : 0;
    for (let at = min; at <= max + step / 2; at += step) {
      expect({ at, ok: takes(path, Number(at.toFixed(decimals))) }).toMatchObject({ ok: true });
    }
    const wrong = [min - step, max + step, min + step / 2, Number.NaN, Number.POSITIVE_INFINITY, String(min)];
    expect(wrong.filter((value) => takes(path, value))).toEqual([]);
  });

  it("accept only listed choices", () => {
    const choices: [path: string, options: readonly string[], labels?: Record<string, string>][] = [
      ["branding.fontFamily", ["Inter", "Roboto", "Poppins", "Montserrat", "Source Sans Pro"]],
      ["branding.backgroundPattern", ["none", "grid", "dots", "lines"]],
      ["branding.theme", ["dark", "light", "auto"]],
      ["ai.defaultProvider", ["openai", "anthropic", "google"], { openai: "OpenAI" }],
      ["monitoring.logLevel", ["debug", "info", "warn", "error"]],
      ["routing.policy", RoutingPolicy.options],
    ];
    for (const [path, options, labels] of choices) {
      const { control } = fieldOf(path);
      const drawn = control.kind === "select" ? control.options : [];
      expect(drawn.map(({ value }) => value)).toEqual(options);
      expect(drawn).toMatchObject(options.map((value) => (labels?.[value] ? { label: labels[value] } : {})));
      expect(options.every((option) => takes(path, option))).toBe(true);
      expect(takes(path, "other")).toBe(false);
    }
  });

  it("accept only well-formed colors, custom CSS and addresses", () => {
    expect(takes("branding.primaryColor", "#3B82f6")).toBe(true);
    for (const wrong of ["3b82f6", "#3b8", "#3b82f6;}", "red", "#3b82f60"]) {
      expect(takes("branding.primaryColor", wrong)).toBe(false);
    }
    for (const right of ["", "https://a.example", "https://a.example  http://b.example:8080"]) {
      expect(takes("security.corsOrigins", right)).toBe(true);
    }
    for (const wrong of [
      "*",
      "a.example",
      "https://a.example/x",
      "https://a.example,http://b",
      "https://u@a.example",
    ]) {
      expect(takes("security.corsOrigins", wrong)).toBe(false);
    }
    expect(takes("branding.customCss", "a".repeat(50_000))).toBe(true);
    expect(takes("branding.customCss", "a".repeat(50_001))).toBe(false);
    for (const right of ["", "/icon.svg", "https://example.org/logo.png"]) {
      expect(takes("branding.logoUrl", right)).toBe(true);
    }
    for (const wrong of ["//example.org/x", "/\\example.org", "http://example.org", "javascript:alert(1)"]) {
      expect(takes("branding.logoUrl", wrong)).toBe(false);
    }
  });
});
