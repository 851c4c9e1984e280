import { isIP } from "node:net";
import type { VerifiedAuthenticationResponse, VerifiedRegistrationResponse } from "@simplewebauthn/server";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { MINUTE } from "~/core/durations";
import { publicUrl } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { newId, newSecret } from "~/core/ids.server";
import { log } from "~/core/log.server";
import { parseJson, parseWith } from "~/core/parse";
import { addressGroup } from "~/core/rate-limiter.server";
import { append } from "~/platform/audit/audit.service.server";
import { findIdentity } from "./member.service.server";
import { oneTimeStore } from "./one-time-store.server";
import * as repo from "./second-factor.repo.server";
import {
  type Passkey,
  type PasskeyInput,
  RegisteredCredential,
  SignedCredential,
} from "./second-factor.schema";
import { changeFactors, readSecondFactor, requiresSecondFactor } from "./second-factor.service.server";
import { requirePerson } from "./session.service.server";
import {
  completeSignIn,
  countOrReport,
  type NewSession,
  provePassword,
  recordFailure,
  type SignInMeta,
  SUSPENDED,
} from "./sign-in.service.server";
import * as users from "./user.repo.server";

/** Loaded late: half a megabyte of certificate formats that a console without passkeys never needs. */
const webauthn = () => import("@simplewebauthn/server");

const MAX_PASSKEYS = 20;
/** For a person to unlock their device, in ms. */
const CHALLENGE_TIME = 5 * MINUTE;

type Purpose = { kind: "sign-in" } | { kind: "add"; userId: string; sessionId: string; name: string };

/** By the challenge, which is in what the browser signs. */
const challenges = oneTimeStore<Purpose>("passkey challenges", CHALLENGE_TIME);

interface RelyingParty {
  rpID: string;
  origin: string;
}

/**
 * Passkeys belong to the host of `PUBLIC_URL`.
 * @returns undefined where browsers refuse them: at an IP address, or without HTTPS but at localhost
 */
function relyingParty(): RelyingParty | undefined {
  const { hostname, origin, protocol } = new URL(publicUrl());
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  if (isIP(hostname.replace(/^\[|\]$/g, "")) || (protocol !== "https:" && !isLocal)) return undefined;
  return { rpID: hostname, origin };
}

/** Whether a page at this origin can use passkeys. */
export const offersPasskeys = (origin: string): boolean => relyingParty()?.origin === origin;

function requireRelyingParty(): RelyingParty {
  const party = relyingParty();
  if (party) return party;
  throw new AppError("conflict", "Passkeys need HTTPS and a host name in PUBLIC_URL. Ask the operator.");
}

const userHandleOf = (userId: string): string => Buffer.from(userId).toString("base64url");

/**
 * Begins adding a passkey, after the password.
 * @returns the options for the browser's `navigator.credentials.create`
 */
export async function beginPasskey(actor: Actor, input: PasskeyInput, meta: { address: string }) {
  const { rpID } = requireRelyingParty();
  const { user, attempt } = await provePassword(actor, input.password, meta);
  attempt.succeed(user.id);
  const existing = repo.listPasskeys(db(), user.id);
  if (existing.length >= MAX_PASSKEYS) {
    throw new AppError("conflict", `You have ${MAX_PASSKEYS} passkeys. Remove one first.`);
  }
  const challenge = newSecret();
  const purpose: Purpose = {
    kind: "add",
    userId: user.id,
    sessionId: actor.sessionId ?? "",
    name: input.name,
  };
  challenges.put(challenge, purpose, user.id);
  return (await webauthn()).generateRegistrationOptions({
    rpName: users.readOrganisation(db())?.name ?? "Quarterdeck",
    rpID,
    userID: new Uint8Array(Buffer.from(user.id)),
    userName: user.email,
    userDisplayName: [user.firstName, user.lastName].filter(Boolean).join(" ") || user.email,
    challenge: new Uint8Array(Buffer.from(challenge, "base64url")),
    timeout: CHALLENGE_TIME,
    attestationType: "none",
    excludeCredentials: existing.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
}

/** @returns undefined, with the reason in the log, for a response that proves nothing */
async function verified<T extends { verified: boolean }>(verify: () => Promise<T>): Promise<T | undefined> {
  try {
    const result = await verify();
    return result.verified ? result : undefined;
  } catch (error) {
    // The library throws plain errors for whatever a hostile browser can send.
    log.warn("A passkey was refused", { error });
    return undefined;
  }
}

/** @param credential the browser's response as JSON */
export async function addPasskey(actor: Actor, credential: string): Promise<Passkey> {
  requirePerson(actor);
  const { rpID, origin } = requireRelyingParty();
  const response = parseWith(RegisteredCredential, parseJson(credential), "passkey");
  let purpose: Purpose | undefined;
  const result = await verified<VerifiedRegistrationResponse>(async () =>
    (await webauthn()).verifyRegistrationResponse({
      response,
      expectedChallenge: (challenge) => {
        purpose = challenges.take(challenge);
        return (
          purpose?.kind === "add" &&
          purpose.userId === actor.userId &&
          purpose.sessionId === (actor.sessionId ?? "")
        );
      },
      expectedOrigin: origin,
      expectedRPID: rpID,
      requireUserVerification: true,
    }),
  );
  if (!result?.registrationInfo || purpose?.kind !== "add") {
    throw new AppError("invalid", "The passkey was refused, or it took too long. Try again.");
  }
  const { id: credentialId, publicKey, counter } = result.registrationInfo.credential;
  const row: repo.PasskeyRow = {
    id: newId("psk"),
    userId: actor.userId,
    name: purpose.name,
    credentialId,
    publicKey: Buffer.from(publicKey).toString("base64url"),
    counter,
    transports: response.response.transports ?? [],
    createdAt: now(),
    lastUsedAt: null,
  };
  changeFactors(
    actor,
    (tx) => {
      if (repo.findPasskey(tx, credentialId)) {
        throw new AppError("conflict", "This passkey was already added.");
      }
      repo.insertPasskey(tx, row);
      append(tx, actor, {
        action: "user.passkey_added",
        resource: `user:${actor.userId}`,
        details: { name: row.name },
      });
    },
    { isProof: true },
  );
  return readPasskey(actor, row.id);
}

const NOT_FOUND = "Passkey not found. It may have been removed.";

function readPasskey(actor: Actor, id: string): Passkey {
  const passkey = readSecondFactor(actor).passkeys.find((one) => one.id === id);
  if (!passkey) throw new AppError("not_found", NOT_FOUND);
  return passkey;
}

export function renamePasskey(actor: Actor, id: string, name: string): Passkey {
  requirePerson(actor);
  transaction((tx) => {
    const row = repo.findOwnPasskey(tx, actor.userId, id);
    if (!row) throw new AppError("not_found", NOT_FOUND);
    repo.updatePasskey(tx, id, { name });
    append(tx, actor, {
      action: "user.passkey_renamed",
      resource: `user:${actor.userId}`,
      details: { from: row.name, name },
    });
  });
  return readPasskey(actor, id);
}

/** @throws AppError `conflict` for the only way to sign in, or the only second factor where one is required */
export function removePasskey(actor: Actor, id: string): void {
  changeFactors(actor, (tx, user) => {
    const row = repo.findOwnPasskey(tx, user.id, id);
    if (!row) throw new AppError("not_found", NOT_FOUND);
    const isLast = repo.listPasskeys(tx, user.id).length === 1;
    if (isLast && !user.passwordHash && !findIdentity(tx, user.id)) {
      throw new AppError("conflict", "This is your only way to sign in. Add another passkey first.");
    }
    if (isLast && requiresSecondFactor(user.orgId) && !repo.hasAuthenticator(tx, user.id)) {
      throw new AppError(
        "conflict",
        "Your organization requires a second factor. Set up an authenticator app first.",
      );
    }
    repo.deletePasskey(tx, user.id, id);
    append(tx, actor, {
      action: "user.passkey_removed",
      resource: `user:${user.id}`,
      details: { name: row.name },
    });
  });
}

/**
 * @param address of the caller, whose older challenges give way to new ones
 * @returns the options for the browser's `navigator.credentials.get`, for any account
 */
export async function beginPasskeySignIn(address: string) {
  const { rpID } = requireRelyingParty();
  const challenge = newSecret();
  challenges.put(challenge, { kind: "sign-in" }, addressGroup(address));
  return (await webauthn()).generateAuthenticationOptions({
    rpID,
    challenge: new Uint8Array(Buffer.from(challenge, "base64url")),
    timeout: CHALLENGE_TIME,
    userVerification: "required",
  });
}

/**
 * Signs in by a passkey, which counts as two factors.
 * @param credential the browser's response as JSON
 * @throws AppError `unauthenticated`, `forbidden` if suspended, `rate_limited`
 */
export async function signInWithPasskey(credential: string, meta: SignInMeta): Promise<NewSession> {
  const { rpID, origin } = requireRelyingParty();
  const response = parseWith(SignedCredential, parseJson(credential), "passkey");
  const row = repo.findPasskey(db(), response.id);
  const org = users.readOrganisation(db());
  const user = row && org && users.findUser(db(), org.id, row.userId);
  const counted = countOrReport(user?.email ?? "passkey", user, meta);
  const result =
    row &&
    user &&
    (await verified<VerifiedAuthenticationResponse>(async () =>
      (
        await webauthn()
      ).verifyAuthenticationResponse({
        response,
        expectedChallenge: (challenge) => challenges.take(challenge)?.kind === "sign-in",
        expectedOrigin: origin,
        expectedRPID: rpID,
        credential: {
          id: row.credentialId,
          publicKey: new Uint8Array(Buffer.from(row.publicKey, "base64url")),
          counter: row.counter,
        },
        requireUserVerification: true,
      }),
    ));
  const { userHandle } = response.response;
  const isOwn = user && (userHandle === undefined || userHandle === userHandleOf(user.id));
  const session = transaction((tx) => {
    const current = user && users.findUser(tx, user.orgId, user.id);
    // The key may have been removed, and its counter moved on, while the signature was checked.
    const key = repo.findPasskey(tx, response.id);
    if (!result || !isOwn || !current || key?.counter !== row?.counter) return "wrong passkey";
    if (current.status !== "active") return current.status === "suspended" ? "suspended" : "not active";
    repo.updatePasskey(tx, row.id, {
      counter: result.authenticationInfo.newCounter,
      lastUsedAt: now(),
    });
    counted.succeed(current.id);
    return completeSignIn(current, meta, "passkey");
  });
  if (typeof session !== "string") return session;
  recordFailure(user, meta, row ? session : "unknown passkey");
  throw session === "suspended"
    ? new AppError("forbidden", SUSPENDED)
    : new AppError("unauthenticated", "This passkey wasn't accepted. Try again, or use your password.");
}
