import { z } from "zod";
import { sign, unsign } from "~/core/signing.server";
import { parseWellFormed } from "~/core/well-formed";
import type { OAuthFlow } from "~/team/members/oauth.service.server";
import type { EdgeContext } from "./context";
import { cookie, readCookie } from "./cookies.server";
import { OAUTH_LIFE } from "./oauth-strategy.server";
import { safeReturnTo } from "./return-to.server";

const FLOW = "qd_flow";

const Flow = z.object({
  state: z.string(),
  returnTo: z.string(),
  setup: z.string().optional(),
  invite: z.string().optional(),
});

/** What a sign-in at the provider is for. */
export type SignInFlow = OAuthFlow & { returnTo: string };

export function flowCookie(flow: SignInFlow, state: string, context: EdgeContext): string {
  return cookie(FLOW, sign(JSON.stringify({ ...flow, state })), OAUTH_LIFE, context);
}

export const endedFlowCookie = (context: EdgeContext): string => cookie(FLOW, "", 0, context);

/** The sign-in that began with the state; without it the person comes to the first page. */
export function readFlow(request: Request, state: string, context: EdgeContext): SignInFlow {
  const text = unsign(readCookie(request, FLOW, context) ?? "");
  const parsed = Flow.safeParse(text === undefined ? undefined : parseWellFormed(text));
  if (!parsed.success || parsed.data.state !== state) return { returnTo: "/" };
  const { setup, invite, returnTo } = parsed.data;
  return { setup, invite, returnTo: safeReturnTo(returnTo) };
}
