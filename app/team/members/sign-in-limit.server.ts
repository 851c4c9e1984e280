import { createHmac } from "node:crypto";
import { now } from "~/core/clock.server";
import { transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { addressGroup } from "~/core/rate-limiter.server";
import { sessionSecret } from "~/core/secrets.server";
import * as repo from "./sign-in-limit.repo.server";

/** Window in which failures count, in ms. */
const WINDOW = 15 * 60_000;
/** How long an address counts as known after a sign-in, in ms. */
const KNOWN_FOR = 90 * 24 * 60 * 60_000;

// Failed attempts count per account and address, per address, and per account. The last is skipped for addresses that
// signed in before, so that strangers can't lock out an owner.
const LIMITS = { pair: 10, address: 50, account: 50 } as const;

/** Keyed hashes reveal neither addresses nor emails. */
function keyedHash(kind: string, value: string): string {
  return `${kind}:${createHmac("sha256", sessionSecret()).update(`${kind}:${value}`).digest("base64url")}`;
}

interface Attempt {
  email: string;
  address: string;
  /** The account of the email, if any. */
  userId?: string | undefined;
}

export interface CountedAttempt {
  succeed(userId: string): void;
  /** Takes back this attempt alone: what failed before still counts. */
  forgive(): void;
}

/**
 * Counts before checking, so that parallel attempts can't pass the limit.
 * @throws AppError `rate_limited` with `retryAfter`
 */
export function countAttempt({ email, address, userId }: Attempt): CountedAttempt {
  const group = addressGroup(address);
  const subjects = {
    pair: keyedHash("pair", `${email}|${group}`),
    address: keyedHash("address", group),
    account: keyedHash("account", email),
  };
  const at = now();
  transaction((tx) => {
    const counts = Object.entries(subjects).map(([kind, subject]) => {
      const row = repo.findFailures(tx, subject);
      const live = row && at - row.windowStart < WINDOW ? row : { failures: 0, windowStart: at };
      return { kind: kind as keyof typeof LIMITS, subject, ...live };
    });
    for (const { kind, failures, windowStart } of counts) {
      if (failures < LIMITS[kind]) continue;
      if (kind === "account" && userId && repo.isKnownAddress(tx, userId, keyedHash("known", group)))
        continue;
      const retryAfter = Math.max(1, Math.ceil((windowStart + WINDOW - at) / 1000));
      throw new AppError(
        "rate_limited",
        `Too many attempts. Wait ${Math.ceil(retryAfter / 60)} min, then try again.`,
        { retryAfter },
      );
    }
    for (const { subject, failures, windowStart } of counts) {
      repo.saveFailures(tx, { subject, failures: failures + 1, windowStart });
    }
  });
  return {
    forgive() {
      transaction((tx) => {
        for (const subject of Object.values(subjects)) repo.forgiveFailure(tx, subject);
      });
    },
    succeed(signedIn) {
      transaction((tx) => {
        repo.deleteFailures(tx, subjects.pair);
        repo.forgiveFailure(tx, subjects.address);
        repo.forgiveFailure(tx, subjects.account);
        repo.rememberAddress(tx, {
          userId: signedIn,
          addressHash: keyedHash("known", group),
          lastAt: now(),
        });
      });
    },
  };
}

export function sweepAttempts(): void {
  const at = now();
  transaction((tx) => repo.deleteOldAttempts(tx, { windowStart: at - WINDOW, lastAt: at - KNOWN_FOR }));
}
