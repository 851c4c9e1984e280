import { parseHTML } from "linkedom";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADVANCED_GROUPS } from "~/console/settings/advanced.schema";
import { type GroupId, SETTINGS_GROUPS } from "~/platform/settings/groups/index.schema";
import { changeFields } from "../support/forms";
import { ai, routing } from "./settings-effects/ai";
import { backups, monitoring, performance, security } from "./settings-effects/console";
import type { Effect, Effects } from "./settings-effects/effect";
import { guardrails } from "./settings-effects/guardrails";
import { openInstallation } from "./settings-effects/installation";
import { notifications } from "./settings-effects/notifications";
import { rag } from "./settings-effects/rag";
import { recognition } from "./settings-effects/recognition";
import { branding, organisation } from "./settings-effects/screens";

// Every setting: changed on its screen as a browser without script does it, seen from outside, and changed back.
const EFFECTS: { [I in GroupId]: Effects<I> } = {
  rag,
  recognition,
  performance,
  security,
  ai,
  monitoring,
  notifications,
  branding,
  organisation,
  guardrails,
  routing,
  backups,
};

const FORMS: Record<Exclude<GroupId, (typeof ADVANCED_GROUPS)[number]>, { path: string; intent: string }> = {
  rag: { path: "/rag?panel=settings", intent: "save-settings" },
  recognition: { path: "/rag?panel=settings&dialog=scanned-pages", intent: "save-recognition" },
  branding: { path: "/settings/branding", intent: "save" },
  organisation: { path: "/settings/members", intent: "organisation" },
  guardrails: { path: "/settings/guardrails", intent: "save" },
  routing: { path: "/settings/providers", intent: "save-policy" },
  backups: { path: "/settings/system", intent: "save" },
};

const isAdvanced = (id: GroupId): id is (typeof ADVANCED_GROUPS)[number] =>
  ADVANCED_GROUPS.some((advanced) => advanced === id);

let installation: Awaited<ReturnType<typeof openInstallation>>;
beforeAll(async () => {
  installation = await openInstallation();
}, 60_000);
afterAll(() => installation.close());

const placeOf = (group: GroupId, name: string) =>
  isAdvanced(group)
    ? { path: "/settings/advanced", intent: "save", field: `${group}.${name}` }
    : { ...FORMS[group], field: name };

/** A field's form value for a stored value. */
const fieldOf = (value: unknown) =>
  typeof value === "boolean" ? (value ? "on" : null) : String(value ?? "");

type Values = Record<string, string | string[] | null>;

/** Changes fields of a group's form in one save. @returns what they held before */
async function change(group: GroupId, values: Values, secure?: boolean): Promise<Values> {
  const { field: prefix, ...place } = placeOf(group, "");
  const changed = Object.entries(values).map(([name, value]) => [`${prefix}${name}`, value] as const);
  installation.pages.clear();
  const { response, before } = await changeFields(installation.server, place, changed, secure);
  const { document } = parseHTML(await response.text());
  const refusals = [...document.querySelectorAll('[role="alert"]')].map(({ textContent }) => textContent);
  expect([response.status, refusals]).toEqual([303, []]);
  return Object.fromEntries(Object.keys(values).map((name, index) => [name, before[index] ?? null]));
}

async function see({ observe, eventually }: Effect, value: unknown): Promise<unknown> {
  if (!eventually) return observe(installation);
  await expect.poll(() => observe(installation)).toEqual(value);
  return value;
}

const newValue = ({ to }: Effect) => (typeof to === "function" ? to(installation) : to);

describe.each(SETTINGS_GROUPS.map((group) => [group.id, group] as const))("%s", (id, { fields }) => {
  const effects = EFFECTS[id] as Record<string, Effect>;
  const names = Object.keys(fields);
  const isAlone = (effect: Effect | undefined) =>
    !effect || Boolean(effect.alone ?? effect.given ?? effect.eventually ?? effect.secure);
  const together = names.filter((name) => !isAlone(effects[name]));
  const seen = new Map<string, { before: unknown; after: unknown }>();

  it.runIf(together.length > 0)("is saved, with all settings at once whose effects are apart", async () => {
    const rows = together.map((name) => [name, effects[name] as Effect] as const);
    for (const [name, effect] of rows)
      seen.set(name, { before: await see(effect, effect.before), after: undefined });
    const previous = await change(id, Object.fromEntries(rows.map(([name, row]) => [name, newValue(row)])));
    for (const [name, effect] of rows)
      seen.set(name, { before: seen.get(name)?.before, after: await see(effect, effect.after) });
    await change(id, previous);
  });

  it.each(together)("%s", (name) => {
    const { before, after } = effects[name] as Effect;
    expect(before).not.toEqual(after);
    expect(seen.get(name)).toEqual({ before, after });
  });

  it.each(names.filter((name) => isAlone(effects[name])))(
    "%s",
    async (name) => {
      const effect = effects[name];
      if (!effect) throw new Error(`The setting ${id}.${name} has no row.`);
      const { before, after, secure, given } = effect;
      expect(before).not.toEqual(after);
      const changed: (() => Promise<unknown>)[] = [];
      for (const [group, patch] of Object.entries(given?.(installation) ?? {}) as [GroupId, object][]) {
        const values = Object.entries(patch).map(([field, value]) => [field, fieldOf(value)] as const);
        const previous = await change(group, Object.fromEntries(values));
        changed.push(() => change(group, previous));
      }
      expect(await see(effect, before)).toEqual(before);
      const previous = await change(id, { [name]: newValue(effect) }, secure);
      expect(await see(effect, after)).toEqual(after);
      await change(id, previous, secure);
      for (const restore of changed) await restore();
    },
    120_000,
  );
});
