import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { DAY } from "~/core/durations";
import { AppError } from "~/core/errors";
import { drawnFields } from "~/core/field.schema";
import { writeIfPossible } from "~/core/storage-faults.server";
import { dayIn } from "~/core/time-zone";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { guardrails } from "~/platform/settings/groups/guardrails.schema";
import type { SettingsOf } from "~/platform/settings/groups/index.schema";
import {
  orgTimeZone,
  pickChanges,
  readGroupState,
  readSettings,
  updateSettings,
} from "~/platform/settings/settings.service.server";
import { keyKind, keyRefusal, listKeyReferences } from "~/team/keys/keys.service.server";
import { type KeyProvider, type KeyUse, keyLabel } from "~/team/keys/keys.shared";
import { type Guard, GuardrailRefusal, guardOf, type Refusal } from "./guard.server";
import { addGuardrailCount, sumGuardrailCounts } from "./guardrails.repo.server";
import type { Guardrails, GuardrailsInput, GuardrailTest } from "./guardrails.schema";
import { GUARDRAIL_RULES, type GuardrailRule, RULE_LABELS } from "./rules.shared";

export { type Guard, type Judge, judgeBy } from "./guard.server";
export type { StreamedText } from "./streamed-text";

type Settings = Readonly<SettingsOf<"guardrails">>;

function count(actor: Actor, rule: GuardrailRule, what: { refused: number; masked: number }): void {
  const { orgId } = actor;
  addGuardrailCount(db(), { orgId, day: dayIn(now(), orgTimeZone(orgId)), rule, ...what });
}

function recordRefusal(actor: Actor, model: string, { rule, direction, detail, isFailure }: Refusal): void {
  transaction((tx) => {
    count(actor, rule, { refused: 1, masked: 0 });
    append(tx, actor, {
      action: "guardrail.refused",
      resource: `guardrail:${rule}`,
      details: { direction, rule: RULE_LABELS[rule], model, reason: isFailure ? "not checked" : detail },
    });
  });
}

/**
 * The guard of one call of a model: every call passes its request and its answer through it. Refusals are counted and
 * audited, without their text.
 *
 * @param call.model as it was asked for
 * @returns undefined where no guardrail is on
 */
export function guardCall(
  actor: Actor,
  call: { model: string; signal?: AbortSignal | undefined },
): Guard | undefined {
  return guardOf({
    actor,
    signal: call.signal,
    note: (event) =>
      // A full disk doesn't let through what is refused.
      writeIfPossible(() => {
        if (event !== "masked") recordRefusal(actor, call.model.slice(0, 200), event);
        else transaction(() => count(actor, "personal_data", { refused: 0, masked: 1 }), { durable: false });
      }),
  });
}

const DAYS = 30;

function countsOf(orgId: string): Guardrails["last30Days"] {
  const since = dayIn(now() - (DAYS - 1) * DAY, orgTimeZone(orgId));
  const rows = sumGuardrailCounts(db(), orgId, since);
  return GUARDRAIL_RULES.map((rule) => {
    const row = rows.find((one) => one.rule === rule);
    return { rule, refused: row?.refused ?? 0, masked: row?.masked ?? 0 };
  });
}

export function readGuardrails(actor: Actor): Guardrails {
  authorise(actor, "settings.manage");
  const { values, version } = readGroupState(actor.orgId, "guardrails");
  return { settings: values, version, last30Days: countsOf(actor.orgId) };
}

/** Kinds of keys that may be sent to a moderation service, each to the address that it is bound to only. */
const KEY_KINDS: readonly KeyProvider[] = ["openai", "other", "custom", "litellm"];

const isUsableKind = (kind: string | undefined) => KEY_KINDS.some((usable) => usable === kind);

function refuseField(field: keyof Settings, message: string): never {
  throw new AppError("invalid", message, { fields: { [field]: [message] } });
}

function assertPlainAddress(field: "presidioAddress" | "moderationAddress", value: string): void {
  if (value === "") return;
  const { search, hash } = new URL(value);
  if (search || hash) refuseField(field, "Enter an address without a query and without #.");
}

/** @throws AppError `invalid` with the field, if nothing would be looked for or the chosen services can't be called */
function assertUsable(orgId: string, settings: Settings): void {
  const { moderator, moderationAddress, moderationKeyId: keyId } = settings;
  // Masking that looks for nothing would only seem safe.
  const looks = settings.maskAnswers || (settings.maskPii && settings.presidioAddress === "");
  if (looks && settings.piiKinds.length === 0)
    refuseField("piiKinds", "Choose at least one kind, or turn masking off.");
  assertPlainAddress("presidioAddress", settings.presidioAddress);
  assertPlainAddress("moderationAddress", moderationAddress);
  if (moderator !== "service") return;
  if (moderationAddress === "") refuseField("moderationAddress", "Enter the service's address.");
  if (keyId === "") return;
  if (!isUsableKind(keyKind(orgId, keyId)))
    refuseField("moderationKeyId", "Choose a key reference from the list.");
  const refused = keyRefusal(orgId, keyId, new URL(moderationAddress).origin);
  if (refused) refuseField("moderationKeyId", refused);
}

/** The services that texts are sent to, by name, with their origins. */
const servicesOf = ({ moderator, moderationAddress, presidioAddress }: Settings) =>
  [
    ...(presidioAddress ? [["Presidio", presidioAddress] as const] : []),
    ...(moderator === "service" && moderationAddress
      ? [["The moderation service", moderationAddress] as const]
      : []),
  ].map(([service, address]) => ({ service, origin: new URL(address).origin }));

/**
 * Changes the fields sent. Naming a service is consent to send it the texts of calls: another origin has an audit entry
 * of its own.
 *
 * @param version of the settings in the form; without one the last save wins
 * @throws AppError `forbidden`; `invalid` by field; `conflict`
 */
export function saveGuardrails(actor: Actor, input: GuardrailsInput, version?: number): Guardrails {
  return transaction((tx) => {
    const before = servicesOf(readSettings(actor.orgId, "guardrails"));
    const { values } = updateSettings(actor, "guardrails", input, version);
    assertUsable(actor.orgId, values);
    for (const { service, origin } of servicesOf(values)) {
      if (before.some((one) => one.service === service && one.origin === origin)) continue;
      append(tx, actor, {
        action: "guardrails.agreed",
        resource: "settings:guardrails",
        details: { service, origin },
      });
    }
    return readGuardrails(actor);
  });
}

/** Saves the form, whose unchanged fields aren't stored as choices. @throws AppError as `saveGuardrails` */
export function saveGuardrailsForm(
  actor: Actor,
  sent: Readonly<Record<string, unknown>>,
  version: number | undefined,
): Guardrails {
  authorise(actor, "settings.manage");
  return saveGuardrails(actor, pickChanges(actor, "guardrails", sent), version);
}

/** The form with the keys to choose from. */
export function readGuardrailsForm(actor: Actor) {
  const keys = listKeyReferences(actor)
    .filter(({ provider }) => isUsableKind(provider))
    .map((key) => ({ value: key.id, label: keyLabel(key) }));
  const options = [{ value: "", label: "None" }, ...keys];
  const { moderationKeyId } = guardrails.fields;
  const fields = drawnFields({
    ...guardrails.fields,
    moderationKeyId: { ...moderationKeyId, control: { kind: "select", options } },
  });
  return { ...readGuardrails(actor), fields };
}

/** What would become of a request with a text. It isn't counted; a moderator is asked. @throws AppError `forbidden` */
export async function testGuardrails(
  actor: Actor,
  text: string,
  signal?: AbortSignal,
): Promise<GuardrailTest> {
  authorise(actor, "settings.manage");
  const guard = guardOf({ actor, signal, note: () => undefined });
  try {
    return { refused: null, sent: guard ? await guard.request(text) : text };
  } catch (error) {
    if (error instanceof GuardrailRefusal) return { refused: error.message, sent: null };
    throw error;
  }
}

export function guardrailKeyUses(orgId: string): KeyUse[] {
  const { moderator, moderationAddress, moderationKeyId: keyId } = readSettings(orgId, "guardrails");
  if (moderator !== "service" || !keyId || !moderationAddress) return [];
  return [{ keyId, kind: "Moderation", name: new URL(moderationAddress).host, to: "/settings/guardrails" }];
}
