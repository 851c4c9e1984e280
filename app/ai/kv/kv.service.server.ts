import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { countKvRows, findKvRow, type KvRow, writeKvRow } from "./kv.repo.server";
import { type KvEntry, KvInput, KvKey, MAX_KEYS } from "./kv.schema";

function toEntry({ key, value, updatedAt, updatedBy }: KvRow): KvEntry {
  return { key, value, updatedAt: new Date(updatedAt).toISOString(), updatedBy };
}

/** Sets a value shared by the organization. @throws AppError `conflict` when the store is full */
export function setValue(actor: Actor, input: KvInput): KvEntry {
  authorise(actor, "chat.use");
  const { key, value } = KvInput.parse(input);
  const row = { orgId: actor.orgId, key, value, updatedBy: actor.userId, updatedAt: now() };
  transaction((tx) => {
    const replaced = findKvRow(tx, actor.orgId, key) !== undefined;
    if (!replaced && countKvRows(tx, actor.orgId) >= MAX_KEYS) {
      throw new AppError(
        "conflict",
        `The key-value store is full (${MAX_KEYS} keys). Reuse an existing key.`,
      );
    }
    writeKvRow(tx, row);
    append(tx, actor, {
      action: "kv.set",
      resource: `kv:${key}`,
      details: { length: value.length, replaced },
    });
  });
  return toEntry(row);
}

/** Undefined if unset. */
export function getValue(actor: Actor, key: string): KvEntry | undefined {
  authorise(actor, "chat.use");
  const row = findKvRow(db(), actor.orgId, KvKey.parse(key));
  return row && toEntry(row);
}
