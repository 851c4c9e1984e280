import { z } from "zod";
import { AppError } from "./errors";
import { parseWellFormed } from "./well-formed";

/** In characters; the longest cursor issued has about 150. */
const MAX_LENGTH = 256;

export const KeyId = z.string().min(1).max(64);
export const KeyNumber = z.int().min(0);

/**
 * Keyset pagination. A cursor is the last row's sort key as base64url JSON, so it stays valid when the row is deleted.
 * @param schema the sort key's fields, which must be unique together
 */
export function keyset<Key>(schema: z.ZodType<Key>) {
  const encode = (key: Key) => Buffer.from(JSON.stringify(key)).toString("base64url");
  return {
    encode,

    /** @throws AppError `invalid` for a cursor of another list */
    decode(cursor: string | undefined): Key | undefined {
      if (cursor === undefined) return undefined;
      const key = schema.safeParse(parseCursor(cursor));
      if (key.success) return key.data;
      throw new AppError("invalid", "The cursor is not valid for this list. Start from the first page.", {
        fields: { cursor: ["Unknown cursor"] },
      });
    },

    /** Takes `limit + 1` rows. `next` is the next page's cursor, absent on the last page. */
    page<Row>(rows: readonly Row[], limit: number, keyOf: (row: Row) => Key): { rows: Row[]; next?: string } {
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      return {
        rows: page,
        ...(rows.length > limit && last !== undefined ? { next: encode(keyOf(last)) } : {}),
      };
    },
  };
}

function parseCursor(cursor: string): unknown {
  if (cursor.length > MAX_LENGTH) return undefined;
  try {
    return parseWellFormed(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}

/** One page of a list. A page number beyond the end gives the last page. @param page from 1 */
export function pageOf<T>(
  items: readonly T[],
  page: number,
  size: number,
): { items: T[]; pageInfo: { page: number; size: number; total: number } } {
  const last = Math.max(1, Math.ceil(items.length / size));
  const current = Math.min(page, last);
  return {
    items: items.slice((current - 1) * size, current * size),
    pageInfo: { page: current, size, total: items.length },
  };
}
