import { z } from "zod";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { countKvRows, findKvRow, type KvRow, writeKvRow } from "./kv.repo.server";

const KEY_LENGTH = 200;
const VALUE_BYTES = 64 * 1024;
/** Maximum per organization. */
export const MAX_KEYS = 10_000;

export const KvKey = z
  .string()
  .min(1, "Enter a key")
  .max(KEY_LENGTH, `Use at most ${KEY_LENGTH} characters in a key`)
  .regex(/^[^\p{Cc}]*$/u, "Remove control characters from the key")
  .describe(`Name of the value, at most ${KEY_LENGTH} characters`);

export const KvInput = z.object({
  key: KvKey,
  value: z
    .string()
    .max(VALUE_BYTES, "Use at most 64 KB in a value")
    .refine((value) => Buffer.byteLength(value) <= VALUE_BYTES, "Use at most 64 KB in a value")
    .describe("The text to store, at most 64 KB; write anything else as JSON"),
});
type KvInput = z.infer<typeof KvInput>;

const toEntry = ({ key, value, updatedAt, updatedBy }: KvRow) => ({
  key,
  value,
  updatedAt: new Date(updatedAt).toISOString(),
  updatedBy,
});
type KvEntry = ReturnType<typeof toEntry>;

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
