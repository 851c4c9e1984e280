import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { env, publicUrl } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { hashSecret, newId, newSecret } from "~/core/ids.server";
import { append } from "~/platform/audit/audit.service.server";
import { recordReplica } from "~/platform/settings/writer.service.server";
import { actorOf, addUser } from "./member.service.server";
import { OwnerInput } from "./members.schema";
import { assertGoodPassword, hashPassword } from "./password.server";
import * as users from "./user.repo.server";

const CLOSED = "Setup is complete. Sign in.";

/** Until then only the setup link grants access. */
export function isSetUp(): boolean {
  return users.hasUsers(db());
}

/**
 * On a first start, creates the owner from `OWNER_EMAIL` and `OWNER_PASSWORD`, or a new setup link.
 * @returns the link, or undefined with an owner
 */
export async function prepareSetup(origin = publicUrl()): Promise<string | undefined> {
  if (isSetUp()) return undefined;
  const { OWNER_EMAIL, OWNER_PASSWORD } = env();
  if (OWNER_EMAIL && OWNER_PASSWORD) {
    const parsed = OwnerInput.parse({ email: OWNER_EMAIL, password: OWNER_PASSWORD });
    const owner = await passwordOwner(parsed);
    transaction((tx) => createOwner(tx, owner, "environment"));
    return undefined;
  }
  const secret = newSecret();
  transaction((tx) => {
    users.deleteSetupLinks(tx);
    users.insertSetupLink(tx, { secretHash: hashSecret(secret), createdAt: now() });
  });
  return `${origin}/setup?token=${secret}`;
}

export function assertSetupLink(secret: string, tx: Db = db()): void {
  if (users.hasUsers(tx)) throw new AppError("gone", CLOSED);
  if (users.hasSetupLink(tx, hashSecret(secret))) return;
  throw new AppError(
    "gone",
    "This link isn't valid, or a newer one has replaced it. Find the current one in the server log.",
  );
}

/** @returns the error message; undefined if the link works */
export function checkSetupLink(secret: string): string | undefined {
  try {
    assertSetupLink(secret);
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

type OwnerFacts = Pick<users.UserRow, "email" | "firstName" | "lastName"> &
  Partial<Pick<users.UserRow, "passwordHash" | "profileImageUrl">>;

async function passwordOwner(input: OwnerInput): Promise<OwnerFacts> {
  assertGoodPassword(input.password, input.email);
  const { email, firstName, lastName } = input;
  return { email, firstName, lastName, passwordHash: await hashPassword(input.password) };
}

function createOwner(tx: Db, facts: OwnerFacts, means: "link" | "environment"): users.UserRow {
  const organisation = users.readOrganisation(tx) ?? { id: newId("org"), name: "Quarterdeck" };
  if (!users.readOrganisation(tx)) users.insertOrganisation(tx, { ...organisation, createdAt: now() });
  recordReplica(organisation.id, tx);
  const row = addUser(tx, { ...facts, orgId: organisation.id, role: "owner", status: "active" });
  users.deleteSetupLinks(tx);
  append(tx, actorOf(row), {
    action: "user.created",
    resource: `user:${row.id}`,
    details: { role: "owner", means },
  });
  return row;
}

/** Creates the first owner and closes setup in one transaction. @throws AppError `gone`, or `invalid` with fields */
export async function setUpWithPassword(secret: string, input: OwnerInput): Promise<users.UserRow> {
  // Checked before hashing too, to save the work.
  assertSetupLink(secret);
  const facts = await passwordOwner(input);
  return setUpWith(secret, facts);
}

/** For a proven identity. `link` runs in the transaction. */
export function setUpWith(
  secret: string,
  facts: OwnerFacts,
  link: (tx: Db, owner: users.UserRow) => void = () => undefined,
): users.UserRow {
  return transaction((tx) => {
    assertSetupLink(secret, tx);
    const owner = createOwner(tx, facts, "link");
    link(tx, owner);
    return owner;
  });
}
