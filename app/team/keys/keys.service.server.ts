import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { cachedByConfig } from "~/core/config-cache.server";
import { type Db, db, transaction } from "~/core/db.server";
import { keyPlace, readReferencedSecret, variableNames } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { append } from "~/platform/audit/audit.service.server";
import { authorise, may } from "~/platform/rights/authorization.server";
import { findOrgRecord, saveOrgRecord } from "~/platform/settings/settings.service.server";
import { isKeyName, refuseKeyName } from "./key-names.server";
import {
  deleteKeyRow,
  findKeyRow,
  insertKeyRow,
  type KeyRow,
  listKeyRows,
  setOriginOfAlias,
} from "./keys.repo.server";
import type { KeyInput, KeyOriginInput, KeyReference } from "./keys.schema";
import {
  KEY_PROVIDER_LABELS,
  KEY_PROVIDERS,
  KEY_STEPS,
  type KeyProvider,
  VARIABLE_CHOICE,
  WELL_KNOWN_KEYS,
} from "./keys.shared";

export { isKeyName };

const isKeyProvider = (value: string): value is KeyProvider => KEY_PROVIDERS.some((kind) => kind === value);

function originsOf(row: Pick<KeyRow, "alias" | "origin">): readonly string[] {
  return row.origin ? [row.origin] : (WELL_KNOWN_KEYS[row.alias]?.origins ?? []);
}

function toReference(row: KeyRow): KeyReference {
  return {
    id: row.id,
    provider: isKeyProvider(row.provider) ? row.provider : "other",
    alias: row.alias,
    origins: [...originsOf(row)],
    present: readReferencedSecret(row.alias) !== undefined,
    source: "reference",
    createdAt: new Date(row.createdAt).toISOString(),
  };
}

/** In the order they were added, then the providers' variables that serve without one. */
export function listKeys(actor: Actor): KeyReference[] {
  authorise(actor, "keys.manage");
  const references = listKeyRows(db(), actor.orgId).map(toReference);
  const others = environmentKeys(actor.orgId).map(
    (row): KeyReference => ({ ...toReference(row), source: "environment", createdAt: null }),
  );
  return [...references, ...others];
}

/** Those that a person added and a form can choose. */
export const listKeyReferences = (actor: Actor): KeyReference[] =>
  listKeys(actor).filter(({ source }) => source === "reference");

/** For people who choose a key but don't manage them: without a value, and whether one is set. */
export function offerKeys(actor: Actor, kind: KeyProvider) {
  authorise(actor, "workflows.write");
  return listKeyRows(db(), actor.orgId)
    .filter(({ provider }) => provider === kind)
    .map((row) => ({ id: row.id, alias: row.alias, origins: originsOf(row) }));
}

/** First origin of each variable, kept beyond its references. */
const BINDINGS = "keyOrigins";

function refuseField(field: string, message: string): AppError {
  return new AppError("invalid", message, { fields: { [field]: [message] } });
}

/**
 * Binds a variable to its origin; null stands for the provider's own. The binding outlives the reference: re-adding the
 * name must not send the key elsewhere.
 */
function boundOrigin(tx: Db, actor: Actor, input: KeyInput): string | null {
  // Drivers use connection strings directly, so they have no origin.
  if (input.provider === "database") {
    if (input.origin)
      throw refuseField("origin", "A connection string contains its own server. Leave this blank.");
    return null;
  }
  const own = WELL_KNOWN_KEYS[input.alias]?.origins ?? [];
  if (own.length > 0 && (!input.origin || own.includes(input.origin))) return null;
  if (!input.origin) throw refuseField("origin", "Enter the address that may receive this key.");

  const bindings = findOrgRecord(tx, actor.orgId, BINDINGS);
  const bound = own.length > 0 ? own : [bindings[input.alias]].filter((value) => typeof value === "string");
  if (bound.length > 0 && !bound.includes(input.origin) && !may(actor, "keys.origin")) {
    throw refuseField(
      "origin",
      `This key is bound to ${bound.join(" and ")}. Ask an owner to change its address.`,
    );
  }
  return input.origin;
}

/** Keeps what a new reference binds its variable to. */
function saveBinding(tx: Db, { orgId, alias, provider, origin }: KeyRow): void {
  const bindings = findOrgRecord(tx, orgId, BINDINGS);
  if (origin) saveOrgRecord(tx, orgId, BINDINGS, { ...bindings, [alias]: origin });
  // Also bound: a connection string must not become a header later.
  if (provider === "database") saveOrgRecord(tx, orgId, BINDINGS, { [alias]: "its database", ...bindings });
}

/** The reference that would be added. @throws AppError as `addKey` */
function checkKey(tx: Db, actor: Actor, input: KeyInput): KeyRow {
  authorise(actor, "keys.manage");
  const refused = refuseKeyName(input.alias);
  if (refused) throw refuseField("alias", refused);
  const wellKnown = WELL_KNOWN_KEYS[input.alias];
  if (wellKnown && wellKnown.kind !== input.provider) {
    throw refuseField(
      "provider",
      `${input.alias} belongs to ${KEY_PROVIDER_LABELS[wellKnown.kind]}. Choose that provider.`,
    );
  }
  if (
    listKeyRows(tx, actor.orgId).some((row) => row.provider === input.provider && row.alias === input.alias)
  ) {
    throw new AppError("conflict", `${input.alias} is already in the list.`, {
      fields: { alias: ["This reference already exists. Enter another name."] },
    });
  }
  return {
    id: newId("key"),
    orgId: actor.orgId,
    provider: input.provider,
    alias: input.alias,
    origin: boundOrigin(tx, actor, input),
    createdAt: now(),
  };
}

/**
 * The value of a variable that isn't referenced yet, for a test before `addKey`.
 * @throws AppError as `addKey`; `provider_key` if it is unset
 */
export function tryKey(actor: Actor, input: KeyInput): string {
  return requireSecret(checkKey(db(), actor, input).alias);
}

/** @throws AppError `invalid` with the field, never repeating the name; `conflict` for a duplicate */
export function addKey(actor: Actor, input: KeyInput): KeyReference {
  return transaction((tx) => {
    const row = checkKey(tx, actor, input);
    insertKeyRow(tx, row);
    saveBinding(tx, row);
    // A variable has one origin across its references.
    if (row.origin) setOriginOfAlias(tx, actor.orgId, row.alias, row.origin);
    append(tx, actor, {
      action: "api_key.created",
      resource: `key:${row.id}`,
      details: { provider: row.provider, alias: row.alias, ...(row.origin ? { origin: row.origin } : {}) },
    });
    return toReference(row);
  });
}

function requireKey(tx: Db, actor: Actor, id: string): KeyRow {
  const row = findKeyRow(tx, actor.orgId, id);
  if (!row) throw new AppError("not_found", "Key reference not found. It may have been removed.");
  return row;
}

export function readKey(actor: Actor, id: string): KeyReference {
  authorise(actor, "keys.manage");
  return toReference(requireKey(db(), actor, id));
}

export function changeKeyOrigin(actor: Actor, id: string, input: KeyOriginInput): KeyReference {
  authorise(actor, "keys.origin");
  return transaction((tx) => {
    const row = requireKey(tx, actor, id);
    if (row.provider === "database") {
      throw refuseField(
        "origin",
        "A connection string contains its own server, so it has no address to change.",
      );
    }
    setOriginOfAlias(tx, actor.orgId, row.alias, input.origin);
    const bindings = findOrgRecord(tx, actor.orgId, BINDINGS);
    saveOrgRecord(tx, actor.orgId, BINDINGS, { ...bindings, [row.alias]: input.origin });
    append(tx, actor, {
      action: "api_key.updated",
      resource: `key:${id}`,
      details: { provider: row.provider, alias: row.alias },
      before: { origins: [...originsOf(row)] },
      after: { origins: [input.origin] },
    });
    return toReference({ ...row, origin: input.origin });
  });
}

export function removeKey(actor: Actor, id: string): void {
  authorise(actor, "keys.manage");
  transaction((tx) => {
    const row = requireKey(tx, actor, id);
    deleteKeyRow(tx, actor.orgId, id);
    append(tx, actor, {
      action: "api_key.deleted",
      resource: `key:${id}`,
      details: { provider: row.provider, alias: row.alias },
    });
  });
}

const keyRows = cachedByConfig(["models"], (orgId) => listKeyRows(db(), orgId));

/** Origins of self-hosted services, in the order they were added. */
export function keyOrigins(orgId: string, kind: KeyProvider): string[] {
  return keyRows(orgId).flatMap((row) => (row.provider === kind ? originsOf(row) : []));
}

export interface KeyRequest {
  kind: KeyProvider;
  /**
   * The reference named in the config; else the first of its kind that fits the origin, then the well-known variable
   * of the kind.
   */
  keyId?: string | undefined;
  origin: string;
}

/** Changes with any key reference, so that work that failed without a key is retried. */
export function describeKeys(orgId: string): string {
  return keyRows(orgId)
    .map(({ id, alias, origin }) => `${id} ${alias} ${origin}`)
    .join(", ");
}

const bindingsOf = cachedByConfig(["models"], (orgId) => findOrgRecord(db(), orgId, BINDINGS));

/**
 * Variables of providers that are set and need no reference: they are sent to the provider's own origins only. One
 * with a reference, now or earlier, goes where that says.
 */
function environmentKeys(orgId: string): KeyRow[] {
  const named = new Set([...keyRows(orgId).map(({ alias }) => alias), ...Object.keys(bindingsOf(orgId))]);
  return Object.entries(WELL_KNOWN_KEYS).flatMap(([alias, { kind, origins }]) =>
    origins.length > 0 && !named.has(alias) && readReferencedSecret(alias) !== undefined
      ? [{ id: VARIABLE_CHOICE + alias, orgId, provider: kind, alias, origin: null, createdAt: 0 }]
      : [],
  );
}

function choose(orgId: string, { kind, keyId, origin }: KeyRequest): KeyRow | undefined {
  const rows = keyRows(orgId);
  if (keyId) return rows.find((row) => row.id === keyId);
  const fits = (row: KeyRow) => row.provider === kind && originsOf(row).includes(origin);
  return rows.find(fits) ?? environmentKeys(orgId).find(fits);
}

/** The variable that serves a kind of provider at its own origin without being named, and the one to set otherwise. */
export function usualKey(
  orgId: string,
  kind: KeyProvider,
  origin: string,
): { alias: string; present: boolean; isReferenced: boolean } | undefined {
  const row = choose(orgId, { kind, origin });
  const present = (alias: string) => readReferencedSecret(alias) !== undefined;
  if (row) return { alias: row.alias, present: present(row.alias), isReferenced: row.createdAt > 0 };
  const bound = bindingsOf(orgId);
  const free = Object.entries(WELL_KNOWN_KEYS).find(
    ([alias, known]) => known.kind === kind && known.origins.includes(origin) && !Object.hasOwn(bound, alias),
  );
  return free && { alias: free[0], present: false, isReferenced: false };
}

const MAX_OFFERED = 50;

/** Variables of one's own that are set and that no reference names yet. */
export function offerVariables(actor: Actor): string[] {
  authorise(actor, "keys.manage");
  const named = new Set(keyRows(actor.orgId).map(({ alias }) => alias));
  return variableNames()
    .filter((name) => !Object.hasOwn(WELL_KNOWN_KEYS, name) && !named.has(name) && isKeyName(name))
    .filter((name) => readReferencedSecret(name) !== undefined)
    .sort()
    .slice(0, MAX_OFFERED);
}

/** The reference that `keyFor` would read. */
export const chosenKeyId = (orgId: string, request: KeyRequest): string | undefined =>
  choose(orgId, request)?.id;

const refusal = (row: KeyRow, origin: string) =>
  `The key ${row.alias} can only be sent to ${originsOf(row).join(" and ") || "its database"}, not to ${origin}.`;

/** Undefined if allowed, or if there is no such reference. */
export function keyRefusal(orgId: string, keyId: string, origin: string): string | undefined {
  const row = keyRows(orgId).find(({ id }) => id === keyId);
  return row && !originsOf(row).includes(origin) ? refusal(row, origin) : undefined;
}

function requireSecret(variable: string): string {
  const value = readReferencedSecret(variable);
  if (value !== undefined) return value;
  throw new AppError(
    "provider_key",
    `The environment variable ${variable} is not set. ${KEY_STEPS[keyPlace()]}`,
  );
}

/**
 * Reads a key's value from the environment; undefined without a matching reference.
 * @throws AppError `provider_key` if the reference is gone, unset or bound elsewhere
 */
export function keyFor(orgId: string, request: KeyRequest): string | undefined {
  const row = choose(orgId, request);
  if (!row) {
    if (!request.keyId) return undefined;
    throw new AppError("provider_key", "The key reference was removed. Choose another one.");
  }
  if (!originsOf(row).includes(request.origin)) {
    throw new AppError("provider_key", refusal(row, request.origin));
  }
  return requireSecret(row.alias);
}

/**
 * As `keyFor`, for kind Other only: workflows never get keys of providers or databases.
 * @throws AppError `provider_key`
 */
export function keyForWorkflow(orgId: string, keyId: string, origin: string): string {
  const kind = "other";
  const row = keyRows(orgId).find(({ id, provider }) => id === keyId && provider === kind);
  const value = row && keyFor(orgId, { kind, keyId, origin });
  if (value === undefined)
    throw new AppError(
      "provider_key",
      "There is no key reference of kind Other with this id. Choose another one.",
    );
  return value;
}

/**
 * A connection string or signing secret, which isn't bound to an origin.
 * @throws AppError `provider_key` if missing or unset
 */
export function keyValue(orgId: string, id: string, kind: KeyProvider): string {
  const row = keyRows(orgId).find((candidate) => candidate.id === id && candidate.provider === kind);
  if (!row) {
    const message = `This ${KEY_PROVIDER_LABELS[kind]} key reference doesn't exist. Choose another one.`;
    throw new AppError("provider_key", message);
  }
  return requireSecret(row.alias);
}

/**
 * The secret that a setting names; never a model provider's.
 * @throws AppError `provider_key` for a forbidden or unset name
 */
export function readNamedSecret(name: string): string {
  const refused = Object.hasOwn(WELL_KNOWN_KEYS, name)
    ? `${name} is the key of a provider. Name another variable.`
    : refuseKeyName(name);
  if (refused) throw new AppError("provider_key", refused);
  return requireSecret(name);
}

export const keysOfVariable = (orgId: string, alias: string): string[] =>
  keyRows(orgId).flatMap((row) => (row.alias === alias ? [row.id] : []));

/** Undefined if there is no such reference. */
export const keyKind = (orgId: string, id: string): string | undefined =>
  keyRows(orgId).find((row) => row.id === id)?.provider;

export function hasKey(orgId: string, id: string): boolean {
  return findKeyRow(db(), orgId, id) !== undefined;
}
