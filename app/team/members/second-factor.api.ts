import { z } from "zod";
import { endpoint, endpoints } from "~/platform/endpoint/endpoint.shared";
import { beginPasskeySignIn, removePasskey, renamePasskey } from "./passkeys.service.server";
import {
  AuthenticatorSetup,
  CodeInput,
  FactorProof,
  Passkey,
  PasskeyPatch,
  PasswordProof,
  RecoveryCodes,
  SecondFactor,
} from "./second-factor.schema";
import {
  beginAuthenticator,
  completeAuthenticator,
  createRecoveryCodes,
  readSecondFactor,
  removeAuthenticator,
  removeSecondFactor,
} from "./second-factor.service.server";

const params = z.object({ id: z.string().max(64) });
const metaOf = ({ address = "" }: { address?: string }) => ({ address });

export const secondFactorApi = endpoints("Signing in", [
  endpoint({
    method: "GET",
    path: "/api/auth/second-factor",
    summary: "Get your authenticator app and passkeys",
    access: "profile.write",
    response: SecondFactor,
    handle: ({ actor }) => readSecondFactor(actor),
  }),
  endpoint({
    method: "POST",
    path: "/api/auth/authenticator",
    summary: "Begin setting up an authenticator app",
    description: "Complete it with PUT within 15 minutes. Not available to API tokens.",
    access: "profile.write",
    body: PasswordProof,
    response: AuthenticatorSetup,
    handle: ({ actor, body }) => beginAuthenticator(actor, body.password, metaOf(actor)),
  }),
  endpoint({
    method: "PUT",
    path: "/api/auth/authenticator",
    summary: "Complete the setup by the app's first code",
    description: "Ends your other sessions.",
    access: "profile.write",
    body: CodeInput,
    response: RecoveryCodes,
    handle: ({ actor, body }) => completeAuthenticator(actor, body.code, metaOf(actor)),
  }),
  endpoint({
    method: "POST",
    path: "/api/auth/authenticator/turn-off",
    summary: "Turn off your authenticator app",
    description: "Ends your other sessions. Not available to API tokens.",
    access: "profile.write",
    body: FactorProof,
    status: 204,
    handle: ({ actor, body }) => removeAuthenticator(actor, body.proof, metaOf(actor)),
  }),
  endpoint({
    method: "POST",
    path: "/api/auth/recovery-codes",
    summary: "Replace your recovery codes",
    access: "profile.write",
    body: FactorProof,
    response: RecoveryCodes,
    handle: ({ actor, body }) => createRecoveryCodes(actor, body.proof, metaOf(actor)),
  }),
  endpoint({
    method: "POST",
    path: "/api/auth/passkey/options",
    summary: "Get a challenge for signing in with a passkey",
    description:
      "Options for the browser's `navigator.credentials.get`. The challenge is valid for 5 minutes, once.",
    access: "public",
    response: z.looseObject({ challenge: z.string(), rpId: z.string() }),
    handle: ({ address }) => beginPasskeySignIn(address),
  }),
  endpoint({
    method: "PATCH",
    path: "/api/auth/passkeys/{id}",
    summary: "Rename one of your passkeys",
    description: "Passkeys are added in the browser, in the profile.",
    access: "profile.write",
    params,
    body: PasskeyPatch,
    response: Passkey,
    handle: ({ actor, params, body }) => renamePasskey(actor, params.id, body.name),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/auth/passkeys/{id}",
    summary: "Remove one of your passkeys",
    description: "Ends your other sessions. Not available to API tokens.",
    access: "profile.write",
    params,
    status: 204,
    handle: ({ actor, params }) => removePasskey(actor, params.id),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/members/{id}/second-factor",
    summary: "Remove a member's authenticator app, recovery codes and passkeys",
    description: "For a member who lost their device. It ends the member's sessions and notifies them.",
    access: "members.manage",
    params,
    status: 204,
    handle: ({ actor, params }) => removeSecondFactor(actor, params.id),
  }),
]);
