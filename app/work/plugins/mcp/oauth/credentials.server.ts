import { z } from "zod";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { seal, unseal } from "~/core/secrets.server";
import { parseWellFormed } from "~/core/well-formed";
import { findMcpServerRow, type McpServerRow, saveMcpServerRow } from "../../plugins.repo.server";

/** Time for signing in, in ms. */
const PENDING_TIME = 15 * 60_000;

const Tokens = z.looseObject({
  access_token: z.string(),
  token_type: z.string(),
  refresh_token: z.string().optional(),
  expires_in: z.number().optional(),
  scope: z.string().optional(),
  issuer: z.string().optional(),
  /** In ms. */
  grantedAt: z.number(),
});

const Pending = z.object({
  state: z.string(),
  verifier: z.string(),
  userId: z.string(),
  startedAt: z.number(),
  redirectUrl: z.string(),
  scope: z.string().optional(),
});
export type Pending = z.infer<typeof Pending>;

const Credentials = z.object({
  /** Registration with its issuer. */
  client: z.looseObject({ client_id: z.string(), issuer: z.string().optional() }).optional(),
  tokens: Tokens.optional(),
  /** Used by exchange and refresh. */
  discovery: z.looseObject({ authorizationServerUrl: z.string() }).optional(),
  pending: Pending.optional(),
});
export type Credentials = z.infer<typeof Credentials>;

const purposeOf = (orgId: string, id: string) => `mcp-server:${orgId}:${id}`;

/** Empty if unsealing fails, as after a restore without the key. */
export function openCredentials({
  orgId,
  id,
  credentials,
}: Pick<McpServerRow, "orgId" | "id" | "credentials">): Credentials {
  const text = credentials === null ? undefined : unseal(credentials, purposeOf(orgId, id));
  if (text === undefined) return {};
  const parsed = Credentials.safeParse(parseWellFormed(text));
  return parsed.success ? parsed.data : {};
}

export function readCredentials(orgId: string, id: string): Credentials {
  const row = findMcpServerRow(db(), orgId, id);
  return row ? openCredentials(row) : {};
}

/** Does nothing if the server was removed. */
export function updateCredentials(orgId: string, id: string, change: Partial<Credentials>): void {
  transaction((tx) => {
    const row = findMcpServerRow(tx, orgId, id);
    if (!row) return;
    const next = { ...openCredentials(row), ...change };
    saveMcpServerRow(tx, { ...row, credentials: seal(JSON.stringify(next), purposeOf(orgId, id)) });
  });
}

export const isPendingValid = ({ startedAt }: Pending): boolean => now() - startedAt < PENDING_TIME;
