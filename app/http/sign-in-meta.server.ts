import type { SignInMeta } from "~/features/members/sign-in.service.server";
import { sessionSecretOf } from "./authentication.server";
import type { EdgeContext } from "./context";

/** What a session and the audit trail record about the one who signs in. */
export function signInMeta(request: Request, context: EdgeContext): SignInMeta {
  return {
    address: context.address,
    requestId: context.requestId,
    userAgent: request.headers.get("user-agent") ?? undefined,
    previous: sessionSecretOf(request, context),
  };
}
