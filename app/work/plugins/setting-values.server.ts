import { z } from "zod";
import { listModels } from "~/ai/models/models.service.server";
import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { isWebAddress } from "~/core/field.schema";
import { isTimeZone } from "~/core/time-zone";
import { hasKey, keyRefusal } from "~/team/keys/keys.service.server";
import type { PluginField, PluginManifest } from "./manifest.schema";

type Values = Readonly<Record<string, unknown>>;

const text = (max: number, error = `Use at most ${max} characters`) => z.string().trim().max(max, error);

function controlSchema({ control }: Pick<PluginField, "control">): z.ZodType {
  switch (control.kind) {
    case "switch":
      // Browsers send "on" or nothing.
      return z.preprocess((value) => (value === "on" ? true : value), z.boolean());
    case "number":
      return z.coerce
        .number({ error: "Enter a number" })
        .min(control.min, `Enter ${control.min} or more`)
        .max(control.max, `Enter ${control.max} or less`);
    case "select":
      return z.enum(control.options as [string, ...string[]], { error: "Choose an entry from the list" });
    case "text":
    case "textarea":
      return text(control.maxLength);
    case "url":
      return (
        text(1000, "Use at most 1,000 characters")
          // Blank means none.
          .refine((value) => value === "" || isWebAddress(value), "Enter an http or https address")
      );
    case "time-zone":
      return z.string().trim().refine(isTimeZone, "Enter a time zone such as Europe/Vienna");
    case "model":
      return text(200);
    case "key":
      return z.string().max(64);
  }
}

const isRequired = ({ required, requiredWith }: PluginField, values: Values): boolean =>
  required || (requiredWith?.values.includes(String(values[requiredWith.setting])) ?? false);

/** The first setting without which the plugin can't be used. */
export const missingSetting = (
  { settings }: Pick<PluginManifest, "settings">,
  values: Values,
): PluginField | undefined =>
  settings.find((field) => (values[field.name] ?? "") === "" && isRequired(field, values));

const defaultOf = ({ control }: PluginField) => ("default" in control ? control.default : "");

/** Missing or invalid values have defaults. */
export function settingValues(
  { settings }: Pick<PluginManifest, "settings">,
  stored: Values,
): Record<string, unknown> {
  return Object.fromEntries(
    settings.map((field) => {
      const parsed = controlSchema(field).safeParse(stored[field.name]);
      return [field.name, parsed.success ? parsed.data : defaultOf(field)];
    }),
  );
}

/** Value of a field that the browser omitted. */
const absentOf = ({ control: { kind } }: PluginField) => (kind === "switch" ? false : "");

const isOffered = (actor: Actor, model: string) => listModels(actor).some(({ id }) => id === model);

/** Keys bound to none of the configured addresses. */
function misboundKeys(
  orgId: string,
  { settings, requests }: Pick<PluginManifest, "settings" | "requests">,
  values: Values,
): Record<string, string[]> {
  const urls = settings.filter(({ control }) => control.kind === "url").map(({ name }) => name);
  const addresses = urls.map((name) => String(values[name] ?? ""));
  // A blank address, or another host, may still match.
  if (addresses.length === 0 || addresses.some((address) => !URL.canParse(address))) return {};
  if (requests.hosts.some((host) => !urls.some((name) => host === `{${name}}`))) return {};
  return Object.fromEntries(
    settings.flatMap(({ name, control }) => {
      const keyId = values[name];
      if (control.kind !== "key" || control.of !== "other" || typeof keyId !== "string" || !keyId) return [];
      const refusals = addresses.map((address) => keyRefusal(orgId, keyId, new URL(address).origin));
      const [refusal] = refusals;
      return refusal !== undefined && !refusals.includes(undefined) ? [[name, [refusal]]] : [];
    }),
  );
}

/**
 * Parses changed settings and merges them into the present ones.
 * @param complete whether the settings are a whole form, where an absent field is off or blank
 * @throws AppError `invalid` with the fields
 */
export function parseSettings(
  actor: Actor,
  manifest: Pick<PluginManifest, "settings" | "requests">,
  present: Values,
  changed: Values,
  complete: boolean,
): Record<string, unknown> {
  const { orgId } = actor;
  const { settings } = manifest;
  const fields: Record<string, string[]> = {};
  const values: Record<string, unknown> = {};
  const fieldNames = new Set(settings.map(({ name }) => name));
  for (const name of Object.keys(changed)) if (!fieldNames.has(name)) fields[name] = ["Setting not found."];
  for (const field of settings) {
    const { name, control } = field;
    const value = changed[name] ?? (complete ? absentOf(field) : undefined);
    if (value === undefined) {
      values[name] = present[name];
      continue;
    }
    const parsed = controlSchema(field).safeParse(value);
    if (!parsed.success) fields[name] = parsed.error.issues.map(({ message }) => message).slice(0, 1);
    else values[name] = parsed.data;
    if (!parsed.success || parsed.data === "") continue;
    if (control.kind === "key" && !hasKey(orgId, String(parsed.data)))
      fields[name] = ["This key reference was removed. Choose another one."];
    if (control.kind === "model" && !isOffered(actor, String(parsed.data)))
      fields[name] = ["No provider offers this model. Choose another one."];
  }
  for (const field of settings) {
    const { name, label, requiredWith } = field;
    const isChanged = complete || name in changed || (requiredWith && requiredWith.setting in changed);
    if (isChanged && (values[name] ?? "") === "" && isRequired(field, values))
      fields[name] ??= [`${label} is required`];
  }
  Object.assign(fields, misboundKeys(orgId, manifest, values));
  if (Object.keys(fields).length > 0) throw new AppError("invalid", "Some settings are invalid.", { fields });
  return values;
}
