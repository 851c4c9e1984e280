import { parseHTML } from "linkedom";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADVANCED_GROUPS } from "~/console/settings/advanced.schema";
import { type GroupId, SETTINGS_GROUPS } from "~/platform/settings/groups/index.schema";
import { changeField } from "../support/forms";
import { ai, routing } from "./settings-effects/ai";
import { backups, monitoring, performance, security } from "./settings-effects/console";
import type { Effect, Effects } from "./settings-effects/effect";
import { openInstallation } from "./settings-effects/installation";
import { notifications } from "./settings-effects/notifications";
import { rag } from "./settings-effects/rag";
import { branding, organisation } from "./settings-effects/screens";

// Every setting: changed on its screen as a browser without script does it, seen from outside, and changed back.
const EFFECTS: { [I in GroupId]: Effects<I> } = {
  rag,
  performance,
  security,
  ai,
  monitoring,
  notifications,
  branding,
  organisation,
  routing,
  backups,
};

const FORMS: Record<Exclude<GroupId, (typeof ADVANCED_GROUPS)[number]>, { path: string; intent: string }> = {
  rag: { path: "/rag?panel=settings", intent: "save-settings" },
  branding: { path: "/settings/branding", intent: "save" },
  organisation: { path: "/settings/members", intent: "organisation" },
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

/** Changes a field of a screen. @returns what it held before */
async function change(group: GroupId, name: string, value: string | string[] | null, secure?: boolean) {
  const place = placeOf(group, name);
  const { response, before } = await changeField(installation.server, place, value, secure);
  const { document } = parseHTML(await response.text());
  const refusals = [...document.querySelectorAll('[role="alert"]')].map(({ textContent }) => textContent);
  expect([response.status, refusals]).toEqual([303, []]);
  return before;
}

async function sees({ observe, eventually }: Effect, value: unknown) {
  if (eventually) await expect.poll(() => observe(installation), { timeout: 30_000 }).toEqual(value);
  else expect(await observe(installation)).toEqual(value);
}

describe.each(SETTINGS_GROUPS.map((group) => [group.id, group] as const))("%s", (id, { fields }) => {
  it.each(Object.keys(fields))(
    "%s",
    async (name) => {
      const effect = (EFFECTS[id] as Record<string, Effect>)[name];
      if (!effect) throw new Error(`The setting ${id}.${name} has no row.`);
      const { to, before, after, secure, given } = effect;
      expect(before).not.toEqual(after);
      const changed: (() => Promise<unknown>)[] = [];
      for (const [group, patch] of Object.entries(given?.(installation) ?? {}) as [GroupId, object][])
        for (const [field, value] of Object.entries(patch)) {
          const previous = await change(group, field, fieldOf(value));
          changed.push(() => change(group, field, previous));
        }
      await sees(effect, before);
      const previous = await change(id, name, typeof to === "function" ? to(installation) : to, secure);
      await sees(effect, after);
      await change(id, name, previous, secure);
      for (const restore of changed) await restore();
    },
    120_000,
  );
});
